import { ApiError } from '../platform/api-error.ts';
import type { Server } from './server.ts';

/** Answers 503 until this process may serve, except on the paths that it can serve before. */
export function refuseUntil(app: Server, mayServe: () => boolean, except: readonly string[]): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const [path = ''] = request.url.split('?', 1);
    const isRefused = !mayServe() && !except.includes(path);
    done(isRefused ? new ApiError({ code: 'unavailable', message: 'This process is starting.' }) : undefined);
  });
}
