// Interleaved comparison of several ways to do the same.
import type pg from 'pg';

export async function time(
  client: pg.Client,
  work: () => Promise<unknown>,
): Promise<{ seconds: number; cpu: number }> {
  const start = performance.now();
  const cpu = process.cpuUsage();
  await work();
  const used = process.cpuUsage(cpu);
  await client.query('SELECT 1');
  return { seconds: (performance.now() - start) / 1000, cpu: (used.user + used.system) / 1e6 };
}

const median = (numbers: number[]) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] as number;

/** Interleaves the ways over the rounds and prints rates as ratios to the first way. */
export async function compare(
  rounds: number,
  title: string,
  ways: Record<string, () => Promise<{ seconds: number; cpu: number }>>,
  rows: number,
): Promise<void> {
  const taken = new Map<string, { seconds: number; cpu: number }[]>();
  for (let round = 0; round < rounds; round++)
    for (const [name, run] of Object.entries(ways))
      taken.set(name, [...(taken.get(name) ?? []), await run()]);
  const first = [...taken.values()][0] ?? [];
  for (const [name, times] of taken) {
    const ratio = median(times.map(({ seconds }, n) => (first[n]?.seconds as number) / seconds));
    const cpu = median(times.map(({ cpu }) => (cpu / rows) * 1e6));
    console.log(
      `| ${title} | ${name} | ${ratio.toFixed(2)} | ${cpu.toFixed(0)} | ${(rows / median(times.map(({ seconds }) => seconds))).toFixed(0)} |`,
    );
  }
}
