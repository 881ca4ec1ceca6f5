// Loaded before a function: SIGUSR2 moves its clock by CHAOS_CLOCK_MS, and the next SIGUSR2 back.
const stepMs = Number(process.env.CHAOS_CLOCK_MS);
const { now } = Date;
const RealDate = Date;
let offsetMs = 0;

process.on('SIGUSR2', () => {
  offsetMs = offsetMs === 0 ? stepMs : 0;
});
Date.now = () => now() + offsetMs;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, values) =>
    Reflect.construct(target, values.length === 0 ? [RealDate.now()] : values, target),
});
