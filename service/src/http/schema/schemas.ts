import { Type, type Static, type TSchema, type TUnsafe } from 'typebox';

interface NamedSchema<Schema extends TSchema> {
  /** Added to the server once. */
  definition: Schema & { $id: string };
  /** Used wherever a route takes or gives it: in the description it then appears once, by its name. */
  ref: TUnsafe<Static<Schema>>;
}

export function nameSchema<Schema extends TSchema>(name: string, schema: Schema): NamedSchema<Schema> {
  return { definition: { ...schema, $id: name }, ref: Type.Unsafe<Static<Schema>>({ $ref: `${name}#` }) };
}
