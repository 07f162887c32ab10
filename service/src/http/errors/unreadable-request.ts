import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { errorCodes } from './error-codes.ts';
import { errorBody, notReadable } from './errors.ts';
import type { ApiErrorCode } from '../../platform/api-error.ts';

const errors = new Map<string, { code: ApiErrorCode; message: string }>(
  Object.entries({
    ERR_HTTP_REQUEST_TIMEOUT: {
      code: 'request_timeout',
      message: 'The request did not arrive in time. Retry.',
    },
    HPE_HEADER_OVERFLOW: { code: 'headers_too_large', message: 'The headers are larger than 16 KB.' },
  }),
);

/** Bytes that never became a request still get an answer of the usual form, with the headers of every answer. */
export function answerUnreadableRequest(
  error: Error & { code?: string },
  socket: Socket,
  { headers, mayAnswer }: { headers: Readonly<Record<string, string>>; mayAnswer: boolean },
): void {
  if (error.code === 'ECONNRESET' || !socket.writable || !mayAnswer) {
    socket.destroy();
    return;
  }
  const apiError = errors.get(error.code ?? '') ?? notReadable;
  const { status } = errorCodes[apiError.code];
  const body = JSON.stringify(errorBody({ ...apiError, details: undefined }));
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}` +
      `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Connection: close\r\n\r\n${body}`,
  );
}
