import type { FastifyReply, FastifyRequest } from 'fastify';
import { oneOf } from './fields.ts';

/** How a table is asked for. A link in a page can't set a header, so the address can say it; a program may do either. */
export const tableFormat = oneOf(['json', 'csv'], {
  description: '`csv` returns a table with a header row. The default follows the `Accept` header.',
  examples: ['json'],
});

export function wantsTable({ headers }: FastifyRequest, format: 'json' | 'csv' | undefined): boolean {
  if (format !== undefined) return format === 'csv';
  return headers.accept?.split(',').some((type) => /^text\/csv\s*(;|$)/i.test(type.trim())) === true;
}

/** A file that a browser keeps under its name. */
export function answerWithTable(reply: FastifyReply, name: string): void {
  reply.header('content-type', 'text/csv; charset=utf-8; header=present');
  reply.header('content-disposition', `attachment; filename="${name}"`);
}
