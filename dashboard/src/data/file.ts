import { KelpieUnreachable, parseKelpieError } from '@kelpie/sdk';

export interface NamedFile {
  name: string;
  content: Blob;
}

/** The largest, a month as CSV, takes seconds. */
const patienceMs = 60_000;

/** A file of the API: the client knows JSON alone. It is whole before it is kept, so a refusal is never taken for the file. */
export async function fetchFile(address: string, account: string): Promise<NamedFile> {
  const signal = AbortSignal.timeout(patienceMs);
  let response: Response;
  let content: Blob;
  try {
    response = await fetch(address, { headers: { 'kelpie-account': account }, signal });
    content = await response.blob();
  } catch (cause) {
    throw new KelpieUnreachable({ reason: signal.aborted ? 'timeout' : 'network', isSafeToRepeat: true, cause });
  }
  const { ok, status, headers } = response;
  if (!ok) {
    const json: unknown = await new Response(content).json().catch(() => null);
    throw (
      parseKelpieError(status, headers, json) ??
      new KelpieUnreachable({ reason: 'unreadable', status, isSafeToRepeat: true })
    );
  }
  const [, name = 'kelpie'] = /filename="([^"]+)"/.exec(headers.get('content-disposition') ?? '') ?? [];
  return { name, content };
}
