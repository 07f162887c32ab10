import type { Command } from 'commander';
import type { Event } from '../../index.ts';
import { textOf } from '../../json.ts';
import { addHelp } from '../help.ts';
import { wholeNumber, withJson, withLimit, type JsonOption } from '../option-values.ts';
import { note, print, shortInstant, table } from '../printing.ts';
import { connectKelpie, readSettings } from '../settings.ts';

function rowOf({ sequence, type, created_at: at, data }: Event): string[] {
  return [String(sequence), type, textOf(data, 'id') ?? '-', shortInstant(at)];
}

async function listEvents({ json, after, limit }: JsonOption & { after: number; limit: number }): Promise<void> {
  const { data, next } = await connectKelpie(readSettings()).events.list({ after, limit });
  const text = table(['SEQUENCE', 'TYPE', 'ABOUT', 'CREATED'], data.map(rowOf), `No events after ${after}.`);
  print(json, { object: 'list', data }, text);
  const last = data.at(-1)?.sequence;
  if (next !== undefined && last !== undefined && !json) note(`More: add --after ${last}`);
}

export function addEventsCommand(program: Command): void {
  const events = withLimit(withJson(program.command('events')))
    .description('List events in order, the oldest first.')
    .option('--after <sequence>', 'only events after this number', wholeNumber(0, Number.MAX_SAFE_INTEGER), 0)
    .action(listEvents);
  addHelp(events, {
    examples: ['kelpie events --after 41', 'kelpie events --json | jq -c ".data[] | [.sequence, .type]"'],
    prints: 'One line per event. With --json, {"object": "list", "data": […]}.',
  });
}
