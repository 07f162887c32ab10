import { exampleValues } from '../schema/example-values.ts';
import { objectIn, type JsonObject } from './json.ts';

// What an endpoint of a partner receives. It is no route of ours, so the framework knows nothing of it.

const schemaPrefix = '#/components/schemas/';
const deliveryExample = { id: exampleValues.webhookId, previous_sequence: 41 };

/** What a delivery has beside the fields of its event. */
export const deliverySchema = {
  type: 'object',
  description: 'The endpoint that an event is delivered to.',
  required: ['webhook'],
  properties: {
    webhook: {
      type: 'object',
      description: 'The endpoint, and what it was sent before.',
      examples: [deliveryExample],
      required: ['id', 'previous_sequence'],
      properties: {
        id: { type: 'string', format: 'uuid', description: 'The id of the endpoint.', examples: [deliveryExample.id] },
        previous_sequence: {
          type: ['integer', 'null'],
          minimum: 1,
          description:
            'The `sequence` of the event that this endpoint was sent before. You have missed events if you have not received it. Null for the first.',
          examples: [deliveryExample.previous_sequence],
        },
      },
    },
  },
};

/** `PayoutEvent`, and the types that it is for. */
function describeWebhook(name: string, types: readonly string[], example: JsonObject): JsonObject {
  return {
    operationId: `receive${name}`,
    summary: `Receive ${types.join(', ')}`,
    description:
      'Sent to the endpoints of your account that chose the type. Answer with a 2xx status within 10 seconds. Anything else is retried.',
    tags: ['Events'],
    security: [],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: { allOf: [{ $ref: schemaPrefix + name }, { $ref: `${schemaPrefix}WebhookDelivery` }] },
          example: { ...example, webhook: deliveryExample },
        },
      },
    },
    responses: { '2XX': { description: 'The event was received.' } },
  };
}

/** One for each schema that `Event` can be. */
export function describeWebhooks(schemas: JsonObject, examples: JsonObject): JsonObject {
  const mapping = Object.entries(objectIn(objectIn(objectIn(schemas, 'Event'), 'discriminator'), 'mapping'));
  const typesOf = Map.groupBy(mapping, ([, schema]) => String(schema).replace(schemaPrefix, ''));
  const described = [...typesOf].map(([name, entries]) => {
    const types = entries.map(([type]) => type);
    return [name, { post: describeWebhook(name, types, objectIn(objectIn(examples, name), 'value')) }] as const;
  });
  return Object.fromEntries(described);
}
