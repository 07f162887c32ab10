/** Registered, so that the ES module and the CommonJS one know each other's results. */
const requestId = Symbol.for('kelpie.requestId');

/** Hidden: printing, copying, comparing and storing the result leave it out. */
export function withRequestId<Result extends object>(result: Result, headers: Headers): Result {
  const value = headers.get('request-id') ?? undefined;
  Object.defineProperty(result, requestId, { value, configurable: true });
  return result;
}

/** The id of the request that a result is from: an object, a list or a page that a call returned. Quote it to support. */
export function requestIdOf(result: object): string | undefined {
  const value: unknown = Reflect.get(result, requestId);
  return typeof value === 'string' ? value : undefined;
}
