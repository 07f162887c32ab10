import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { after } from 'node:test';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';

export interface ReceivedSpan {
  traceId: string;
  id: string;
  /** '' for the first of a trace. */
  parentId: string;
  name: string;
  /** Who sent it. */
  process: string;
  startNs: bigint;
  endNs: bigint;
  attributes: Record<string, string>;
}

export interface TraceReceiver {
  /** For KELPIE_OTLP_URL. */
  url: string;
  spans: ReceivedSpan[];
  /** All that was sent, as it was sent. */
  texts: string[];
  ofTrace(id: string): ReceivedSpan[];
}

/** A value says its type, and whole numbers come as such or as texts. */
function attributesOf(of: unknown): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const one of listAt(of, 'attributes')) {
    const value = valueAt(one, 'value.stringValue') ?? valueAt(one, 'value.intValue');
    attributes[textAt(one, 'key')] = typeof value === 'string' || typeof value === 'number' ? String(value) : '?';
  }
  return attributes;
}

function* spansIn(body: unknown): Generator<ReceivedSpan> {
  for (const sent of listAt(body, 'resourceSpans')) {
    const process = attributesOf(valueAt(sent, 'resource'))['service.name'] ?? '';
    for (const span of listAt(sent, 'scopeSpans').flatMap((scope) => listAt(scope, 'spans')))
      yield {
        traceId: textAt(span, 'traceId'),
        id: textAt(span, 'spanId'),
        parentId: valueAt(span, 'parentSpanId') === undefined ? '' : textAt(span, 'parentSpanId'),
        name: textAt(span, 'name'),
        process,
        startNs: BigInt(textAt(span, 'startTimeUnixNano')),
        endNs: BigInt(textAt(span, 'endTimeUnixNano')),
        attributes: attributesOf(span),
      };
  }
}

/** A collector of traces, by OTLP over HTTP. */
export async function startTraceReceiver(): Promise<TraceReceiver> {
  const spans: ReceivedSpan[] = [];
  const texts: string[] = [];
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      texts.push(JSON.stringify(body));
      spans.push(...spansIn(body));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no address');
  const url = `http://127.0.0.1:${address.port}/v1/traces`;
  const ofTrace = (id: string): ReceivedSpan[] => spans.filter(({ traceId }) => traceId === id.replaceAll('-', ''));
  return { url, spans, texts, ofTrace };
}

function lineOf({ name, process, attributes, startNs, endNs }: ReceivedSpan, depth: number): string {
  const {
    'http.response.status_code': status,
    'kelpie.bank.outcome': outcome,
    'kelpie.event.type': event,
  } = attributes;
  const what = [name, event, status, outcome].filter((word) => word !== undefined).join(' ');
  const ms = (Number(endNs - startNs) / 1e6).toFixed(1);
  return `${`${'  '.repeat(depth)}${what}`.padEnd(46)} ${process.padEnd(13)} ${ms.padStart(7)} ms`;
}

/** A trace as a small tree, in order of time: what was done, by which process, and how long it took. */
export function drawTrace(spans: readonly ReceivedSpan[]): string {
  const inOrder = spans.toSorted((one, other) => Number(one.startNs - other.startNs));
  const lines: string[] = [];
  const drawBelow = (parentId: string, depth: number): void => {
    for (const span of inOrder.filter((one) => one.parentId === parentId)) {
      lines.push(lineOf(span, depth));
      drawBelow(span.id, depth + 1);
    }
  };
  drawBelow('', 0);
  return lines.join('\n');
}
