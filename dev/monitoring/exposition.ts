// A stand-in for everything that Prometheus scrapes: each published metric with each value of its labels.
import { createServer } from 'node:http';
import { publishedMetrics, type PublishedMetric } from './published-metrics.ts';

type Labels = readonly (readonly [name: string, value: string])[];

function combine(labels: PublishedMetric['labels']): Labels[] {
  return Object.entries(labels).reduce<Labels[]>(
    (combined, [name, values]) =>
      combined.flatMap((labelled) => values.map((value): Labels => [...labelled, [name, value]])),
    [[]],
  );
}

function line(name: string, labels: Labels, value: number): string {
  return `${name}{${labels.map(([label, text]) => `${label}="${text}"`).join(',')}} ${value}`;
}

const boundaries = ['0.1', '1', '5', '30', '300', '+Inf'];

/** Every counter and histogram rises with each scrape. */
function linesOf({ name, kind, labels }: PublishedMetric, scrape: number): string[] {
  const value = kind === 'gauge' ? 1 : 10 * scrape;
  const lines = [`# TYPE ${name} ${kind}`];
  for (const labelled of combine(labels)) {
    if (kind !== 'histogram') lines.push(line(name, labelled, value));
    else {
      for (const [at, le] of boundaries.entries())
        lines.push(line(`${name}_bucket`, [...labelled, ['le', le]], value * (at + 1)));
      lines.push(line(`${name}_count`, labelled, value * boundaries.length), line(`${name}_sum`, labelled, value));
    }
  }
  return lines;
}

interface Exposition {
  address: string;
  close(): Promise<void>;
}

/** Serves what a job publishes. */
export async function startExposition(job: string): Promise<Exposition> {
  const metrics = publishedMetrics.filter(({ jobs }) => jobs.some((each) => each === job));
  let scrape = 0;
  const server = createServer((_, response) => {
    scrape += 1;
    const text = metrics.flatMap((metric) => linesOf(metric, scrape));
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(`${text.join('\n')}\n`);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  if (typeof bound !== 'object' || bound === null) throw new Error('no port');
  return {
    address: `127.0.0.1:${bound.port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
