// Moves the clock of this process: LATER is the time at its start, in milliseconds.
const RealDate = Date, ahead = LATER - RealDate.now();
class ShiftedDate extends RealDate {
  constructor(...given) {
    if (given.length) super(...given);
    else super(RealDate.now() + ahead);
  }
  static now() { return RealDate.now() + ahead; }
  static [Symbol.hasInstance](o) { return RealDate[Symbol.hasInstance].call(RealDate, o); }
}
Object.defineProperty(ShiftedDate, 'name', { value: 'Date' });
globalThis.Date = new Proxy(ShiftedDate, { apply: () => new ShiftedDate().toString() });
