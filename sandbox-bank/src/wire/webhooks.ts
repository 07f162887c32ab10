import { notFound } from '../http/api-error.ts';
import type { Route } from '../http/route.ts';
import { newId } from '../ids.ts';
import { newKeyPair } from '../webhooks/signature.ts';
import { listBody, listPage } from './pages.ts';

interface EndpointRow {
  id: string;
  url: string;
  status: 'active' | 'deleted';
  public_key: string;
}

function describeEndpoint({ id, url, status, public_key: publicKey }: EndpointRow): object {
  return { id, url, status, public_key: publicKey };
}

export const webhookRoutes: readonly Route[] = [
  {
    method: 'POST',
    url: '/webhooks',
    async perform({ tx, at, body }) {
      const url = body.text('url');
      if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) throw body.apiError('url', 'an http or https address');
      const { publicKey, privateKey } = await newKeyPair();
      const endpoint = { id: newId(at), url, status: 'active', public_key: publicKey } as const;
      await tx.query(
        `insert into webhook_endpoints (id, url, status, public_key, private_key, created_at)
         values ($1, $2, 'active', $3, $4, $5)`,
        [endpoint.id, url, publicKey, privateKey, at],
      );
      return { status: 201, body: describeEndpoint(endpoint) };
    },
  },
  {
    method: 'GET',
    url: '/webhooks',
    async perform({ tx, query }) {
      const list = { table: 'webhook_endpoints', where: 'status = $1', owner: 'active' } as const;
      const endpoints = await listPage<EndpointRow>(tx, list, query);
      return { status: 200, body: listBody(endpoints.map(describeEndpoint)) };
    },
  },
  {
    method: 'DELETE',
    url: '/webhooks/:webhook_id',
    async perform({ tx, id }) {
      const { rows } = await tx.query<EndpointRow>(
        `update webhook_endpoints set status = 'deleted' where id = $1 and status = 'active' returning *`,
        [id('webhook_id')],
      );
      const [endpoint] = rows;
      if (endpoint === undefined) throw notFound('webhook');
      await tx.query(`update deliveries set outcome = 'given_up' where endpoint_id = $1 and outcome = 'waiting'`, [
        endpoint.id,
      ]);
      return { status: 200, body: describeEndpoint(endpoint) };
    },
  },
];
