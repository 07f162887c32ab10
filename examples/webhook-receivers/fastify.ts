import { fastify } from 'fastify';
import { receive } from './receive.ts';

const app = fastify();
app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
app.post<{ Body: Buffer }>('/hooks/kelpie', async (request, reply) => {
  return reply.code(await receive(request.headers, request.body)).send();
});
await app.listen({ port: Number(process.env['PORT'] ?? 3000) });
console.log('listening');
