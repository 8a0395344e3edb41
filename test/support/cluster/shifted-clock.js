/** Preloaded with --import: shifts Date by CLOCK_AHEAD_MS. */
const aheadMs = Number(process.env['CLOCK_AHEAD_MS']);
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...args) {
    super(...(args.length > 0 ? args : [RealDate.now() + aheadMs]));
  }

  static now() {
    return RealDate.now() + aheadMs;
  }
};
