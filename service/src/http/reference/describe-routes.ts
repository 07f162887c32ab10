import swagger from '@fastify/swagger';
import type { Access, AccessRule } from '../auth/access.ts';
import { sessionCookieName } from '../auth/session-cookie.ts';
import { declareAnswers } from '../errors/responses.ts';
import { product } from '../pages/discovery.ts';
import { describeAnswers, describeParameters } from '../schema/described-as.ts';
import type { Server } from '../server.ts';
import { completeDescription, optionalBody } from './complete.ts';
import { introduction } from './introduction.ts';
import { tags } from './tags.ts';

/** How each rule of access identifies its caller. */
const securityOf: Readonly<Record<Access, Record<string, string[]>[]>> = {
  anybody: [],
  readers: [{ apiKey: [] }, { session: [] }],
  payers: [{ apiKey: [] }, { session: [] }],
  people: [{ session: [] }],
  admins: [{ session: [] }],
};

/** Who may call, how the caller is identified, and the errors that follow from that. */
function describeAccess(own: unknown, { access, ofBothEnvironments }: Partial<AccessRule> = {}): object {
  if (access === undefined) return {};
  const rule = { access, ...(ofBothEnvironments === undefined ? {} : { ofBothEnvironments }) };
  const { response, codes } = declareAnswers(own, rule);
  return { 'x-access': access, 'x-error-codes': codes, security: securityOf[access], response };
}

const securitySchemes = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'kp_sandbox_… or kp_live_…',
    description: 'An API key from the dashboard. The key decides the environment: sandbox or live.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookieName,
    description: 'A dashboard session. The `environment` query parameter names the environment.',
  },
} as const;

interface DescribedAs {
  /** Where partners reach the api: every sample calls this address. */
  publicUrl: string;
  supportEmail: string;
}

/** Gathers the routes that are added after it into one description, in OpenAPI 3.1. */
export async function describeRoutes(app: Server, { publicUrl, supportEmail }: DescribedAs): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: `${product.name} API`,
        version: product.version,
        description: introduction(publicUrl),
        contact: { name: 'Kelpie support', email: supportEmail },
        license: { name: 'Proprietary' },
      },
      servers: [{ url: publicUrl, description: 'Sandbox and live: the API key decides the environment.' }],
      tags,
      components: { securitySchemes },
    },
    transform: ({ schema, url, route }) => ({
      url,
      schema: {
        ...schema,
        ...describeAccess(describeAnswers(schema?.response), route.config),
        ...(route.config?.bodyIsOptional === true ? { [optionalBody]: true } : {}),
        ...(schema?.querystring === undefined ? {} : { querystring: describeParameters(schema.querystring) }),
        ...(schema?.headers === undefined ? {} : { headers: describeParameters(schema.headers) }),
      },
    }),
    transformObject: (document) =>
      'openapiObject' in document ? completeDescription({ ...document.openapiObject }, publicUrl) : {},
    // Named schemas keep their names, so that the types made from them read well.
    refResolver: {
      buildLocalReference: ({ $id: name }, _base, _fragment, index) =>
        typeof name === 'string' ? name : `Schema${index}`,
    },
  });
}
