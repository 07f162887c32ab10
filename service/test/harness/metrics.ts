import type { Child } from '@kelpie/dev/child-process.ts';

/** Where a worker serves its metrics and its health. */
export async function metricsAddressOf(worker: Pick<Child, 'waitForEvent'>): Promise<string> {
  const { metrics_port: port } = await worker.waitForEvent('worker.working');
  return `http://127.0.0.1:${String(port)}`;
}

type Labels = Readonly<Record<string, string>>;

/** The value of the series with this name and these labels, as Prometheus reads it. Undefined where it is not published. */
export async function readMetric(address: string, name: string, labels: Labels = {}): Promise<number | undefined> {
  const text = await (await fetch(`${address}/metrics`)).text();
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const line = text
    .split('\n')
    .find(
      (one) =>
        (one.startsWith(`${name} `) || one.startsWith(`${name}{`)) && wanted.every((label) => one.includes(label)),
    );
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ')));
}
