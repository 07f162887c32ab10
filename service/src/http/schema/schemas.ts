import type { FastifyInstance } from 'fastify';
import { Type, type Static, type TSchema, type TUnsafe } from 'typebox';

interface NamedSchema<Schema extends TSchema> {
  definition: Schema & { $id: string };
  /** Used wherever a route takes or gives it: in the description it then appears once, by its name. */
  ref: TUnsafe<Static<Schema>>;
}

export function nameSchema<Schema extends TSchema>(name: string, schema: Schema): NamedSchema<Schema> {
  return { definition: { ...schema, $id: name }, ref: Type.Unsafe<Static<Schema>>({ $ref: `${name}#` }) };
}

/** Adds a schema to the server once. The reference shows the example wherever a route takes or gives the schema. */
export function addSchema<Schema extends TSchema>(
  app: Pick<FastifyInstance, 'addSchema'>,
  { definition }: NamedSchema<Schema>,
  example: Static<Schema>,
): void {
  app.addSchema({ ...definition, examples: [example] });
}
