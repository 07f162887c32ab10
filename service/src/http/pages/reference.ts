import { createHash } from 'node:crypto';
import swagger from '@fastify/swagger';
import scalar from '@scalar/fastify-api-reference';
import type { Access, AccessRule } from '../auth/access.ts';
import { describeParameters } from '../schema/described-as.ts';
import { product } from './discovery.ts';
import type { LimitHook } from '../limits/rate-limit.ts';
import { declareAnswers } from '../errors/responses.ts';
import type { Server } from '../server.ts';
import { sessionCookieName } from '../auth/session-cookie.ts';

const page = '/docs';

/** What the reference page may load: its own files from this address, and nothing from anywhere else. */
function contentSecurityPolicy(html: string): string {
  const inlineScripts = [...html.matchAll(/<script[^>]*>([^]*?)<\/script>/g)].map(([, text = '']) => text);
  const hashes = inlineScripts
    .filter((text) => text !== '')
    .map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
  return [
    `default-src 'none'`,
    `script-src 'self' ${hashes.join(' ')}`,
    // The page's own styles are set from its script.
    `style-src 'self' 'unsafe-inline'`,
    `img-src 'self' data:`,
    `font-src 'self'`,
    `connect-src 'self'`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
}

/** By what each rule of access knows who asks. */
const shownBy: Readonly<Record<Access, Record<string, string[]>[]>> = {
  anybody: [],
  readers: [{ apiKey: [] }, { session: [] }],
  payers: [{ apiKey: [] }, { session: [] }],
  people: [{ session: [] }],
  admins: [{ session: [] }],
};

/** Who may ask, by what it is known, and what follows from that. */
function describeAccess(response: unknown, { access, ofBothEnvironments }: Partial<AccessRule> = {}): object {
  if (access === undefined) return {};
  const rule = { access, ...(ofBothEnvironments === undefined ? {} : { ofBothEnvironments }) };
  return { 'x-access': access, security: shownBy[access], response: declareAnswers(response, rule) };
}

/** Gathers the routes that are added after it into one description, in OpenAPI 3.1. */
export async function describeRoutes(app: Server): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: product.name,
        version: product.version,
        description: 'Pay pounds to UK bank accounts from your own wallet. Every body is JSON.',
      },
      components: {
        securitySchemes: {
          apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: it decides the environment.' },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: sessionCookieName,
            description: 'A person who has signed in to the dashboard: `?environment=` names the environment.',
          },
        },
      },
    },
    transform: ({ schema, url, route }) => ({
      url,
      schema: {
        ...schema,
        ...describeAccess(schema?.response, route.config),
        ...(schema?.querystring === undefined ? {} : { querystring: describeParameters(schema.querystring) }),
        ...(schema?.headers === undefined ? {} : { headers: describeParameters(schema.headers) }),
      },
    }),
    // Named schemas keep their names, so that the types made from them read well.
    refResolver: {
      buildLocalReference: ({ $id: name }, _base, _fragment, index) =>
        typeof name === 'string' ? name : `Schema${index}`,
    },
  });
}

/** The description for programs at /v1/openapi.json, and the same for people at /docs. */
export async function addReferenceRoutes(app: Server, limitOpen: LimitHook): Promise<void> {
  const config = { access: 'anybody' } as const;
  app.get('/v1/openapi.json', { schema: { hide: true }, config, onRequest: limitOpen }, async () => app.swagger());
  // In a scope of its own: no other request shall pass through what only this page needs.
  await app.register(async (scope) => {
    scope.addHook('onRequest', limitOpen);
    scope.addHook('onSend', async (_request, reply, payload) => {
      if (typeof payload === 'string' && payload.startsWith('<!doctype html>')) {
        reply.header('content-security-policy', contentSecurityPolicy(payload));
      }
    });
    await scope.register(scalar, {
      routePrefix: page,
      configuration: {
        url: '/v1/openapi.json',
        pageTitle: product.name,
        withDefaultFonts: false,
        telemetry: false,
        agent: { disabled: true },
        mcp: { disabled: true },
        showDeveloperTools: 'never',
        hideClientButton: true,
      },
    });
  });
}
