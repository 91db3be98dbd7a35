// One thing of every kind that Node can do and a recorder has to see. Most of it
// fails, which is the point of the sandbox.
const { execFileSync } = require('node:child_process');
const dgram = require('node:dgram');
const dns = require('node:dns');
const fs = require('node:fs');
const net = require('node:net');

function attempt(f) {
  try { return f(); } catch {}
}
const connect = (...to) => new Promise((done) => {
  const c = net.connect(...to, () => { c.destroy(); done(); });
  c.on('error', done);
});

fs.mkdirSync('/tmp/k');
for (let i = 0; i < 3; i++) attempt(() => fs.readFileSync('/etc/shadow'));
for (const name of ['new', 'old', 'gone']) fs.closeSync(fs.openSync('/tmp/k/' + name, 'w'));
fs.readdirSync('/tmp/k');
fs.chmodSync('/tmp/k/new', 0o4755);
attempt(() => fs.chownSync('/tmp/k/new', 0, 0));
fs.renameSync('/tmp/k/old', '/tmp/k/moved');
fs.unlinkSync('/tmp/k/gone');
fs.linkSync('/tmp/k/new', '/tmp/k/hard');
fs.symlinkSync('/etc/passwd', '/tmp/k/soft');
fs.closeSync(fs.openSync('/tmp/k/soft'));
for (let i = 0; i < 2; i++) execFileSync('/bin/echo', ['one', 'two three']);
attempt(() => process.kill(1, 'SIGKILL'));
attempt(() => process.setuid(0));

(async () => {
  await connect(8081, '203.0.113.77');
  await connect('/var/run/docker.sock');
  await new Promise((done) => dns.lookup('kinds.example.com', { family: 4 }, done));
  const socket = dgram.createSocket('udp4');
  for (let i = 0; i < 2; i++) await new Promise((done) => socket.send('beacon', 9999, '198.51.100.9', done));
  socket.close();
  await new Promise((done) => { const s = net.createServer().listen(4444, '127.0.0.1', () => s.close(done)); });
})();
