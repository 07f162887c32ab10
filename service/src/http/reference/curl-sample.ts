import { isObject, objectIn, textIn, type JsonObject } from './json.ts';
import { sessionCookieName } from '../auth/session-cookie.ts';

/** An operation as the description has it, with the values of its examples. */
interface SampledOperation {
  method: string;
  /** With braces: /v1/payouts/{id}. */
  path: string;
  operation: JsonObject;
  body: unknown;
}

interface Parameter {
  name: string;
  place: string;
  isRequired: boolean;
  example: string;
}

function parametersOf(operation: JsonObject): Parameter[] {
  const listed = Array.isArray(operation['parameters']) ? operation['parameters'].filter(isObject) : [];
  return listed.map((parameter) => ({
    name: textIn(parameter, 'name'),
    place: textIn(parameter, 'in'),
    isRequired: parameter['required'] === true,
    example: textIn(parameter, 'example'),
  }));
}

const sessionOnly = new Set<unknown>(['people', 'admins']);

function isShown({ place, name, isRequired }: Parameter, access: unknown): boolean {
  if (isRequired) return true;
  // Sessions have no environment of their own.
  return place === 'query' && name === 'environment' && sessionOnly.has(access);
}

function addressOf(server: string, { path, operation }: SampledOperation): string {
  const shown = parametersOf(operation).filter((parameter) => isShown(parameter, operation['x-access']));
  const inPath = shown.filter(({ place }) => place === 'path');
  const filled = inPath.reduce((text, { name, example }) => text.replace(`{${name}}`, example), path);
  const query = shown.filter(({ place }) => place === 'query').map(({ name, example }) => `${name}=${example}`);
  return `${server}${filled}${query.length === 0 ? '' : `?${query.join('&')}`}`;
}

/** How the caller identifies itself. The shell replaces the variable by the reader's own key or session. */
function credentialsOf({ method, operation }: SampledOperation): string[] {
  const access = operation['x-access'];
  if (access === 'anybody') return [];
  if (!sessionOnly.has(access)) return ['-H "Authorization: Bearer $KELPIE_API_KEY"'];
  const cookie = `-b "${sessionCookieName}=$KELPIE_SESSION"`;
  // A change by session is accepted from the dashboard's own pages only.
  return method === 'GET' ? [cookie] : [cookie, '-H "Sec-Fetch-Site: same-origin"'];
}

function headersOf({ operation }: SampledOperation): string[] {
  return parametersOf(operation)
    .filter(({ place, isRequired }) => place === 'header' && isRequired)
    .map(({ name, example }) => `-H "${name}: ${example}"`);
}

function bodyOf({ body }: SampledOperation): string[] {
  if (body === undefined) return [];
  const json = JSON.stringify(body, null, 2)
    .replaceAll("'", String.raw`'\''`)
    .replaceAll('\n', '\n  ');
  return ['-H "Content-Type: application/json"', `-d '${json}'`];
}

function isFile({ operation }: SampledOperation): boolean {
  const content = objectIn(objectIn(objectIn(operation, 'responses'), '200'), 'content');
  return 'application/pdf' in content;
}

/** A command that runs as it is, once the reader has exported a key. */
export function curlSample(server: string, sampled: SampledOperation): string {
  const { method } = sampled;
  const isPlain = method === 'GET' || (method === 'POST' && sampled.body !== undefined);
  return [
    `curl ${isPlain ? '' : `-X ${method} `}"${addressOf(server, sampled)}"`,
    ...credentialsOf(sampled),
    ...headersOf(sampled),
    ...bodyOf(sampled),
    ...(isFile(sampled) ? ['-o invoice.pdf'] : []),
  ].join(' \\\n  ');
}
