import { Type } from 'typebox';
import { patterns } from '../../http/schema/patterns.ts';
import { invoiceExample } from './examples.ts';

export const InvoicePath = Type.Object({
  id: Type.String({ pattern: patterns.uuid, description: 'The id of the invoice.', examples: [invoiceExample.id] }),
});
