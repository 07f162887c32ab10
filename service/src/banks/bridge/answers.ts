import type { HttpExchange } from '../http-exchange.ts';
import { parseJson, textAt } from './wire-values.ts';

// What any answer of Bridge's is, before it is asked what it means: a success, a refusal in its own words, or neither.

export interface ApiError {
  status: number;
  code: string;
  /** What it is about: a field of the body, say, or a header. */
  location: string;
  key: string;
}

/** A refusal in the bank's own form. Anything else with such a status may come from a machine in between. */
export function bankErrorFrom(answer: HttpExchange): ApiError | undefined {
  if (answer.kind !== 'answered' || answer.status < 400 || answer.status >= 500) return undefined;
  const body = parseJson(answer.body);
  const code = textAt(body, 'code');
  if (code === undefined || textAt(body, 'message') === undefined) return undefined;
  const location = textAt(body, 'source', 'location') ?? '';
  return { status: answer.status, code, location, key: textAt(body, 'source', 'key') ?? '' };
}

export function describeAnswer(answer: HttpExchange): string {
  if (answer.kind !== 'answered') return answer.text;
  return `status ${answer.status} ${bankErrorFrom(answer)?.code ?? 'without a body that we know'}`;
}

export function isSuccess(answer: HttpExchange): answer is HttpExchange & { kind: 'answered' } {
  return answer.kind === 'answered' && answer.status >= 200 && answer.status < 300;
}
