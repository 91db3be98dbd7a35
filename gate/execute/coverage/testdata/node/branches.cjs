#!/usr/bin/env node
// é: a letter of two bytes
function pick(n) {
  if (n > 3) {
    return 'many // not a comment';
  }
  /* a comment
     of two lines */
  return n ? `one ${
    n
  }` : /[/]\/"/.source;
}

function never() {
  console.log('never');
}

console.log(pick(1));
module.exports = {
  pick,
  never,
};
