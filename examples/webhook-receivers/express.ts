import express from 'express';
import { receive } from './receive.ts';

const app = express();
app.post('/hooks/kelpie', express.raw({ type: 'application/json' }), async (request, response) => {
  response.status(await receive(request.headers, request.body)).end();
});
app.listen(Number(process.env['PORT'] ?? 3000), () => console.log('listening'));
