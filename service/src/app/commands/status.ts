import { InvalidArgumentError, Option, type Command } from 'commander';
import { newId } from '../../platform/ids.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import {
  components,
  findIncident,
  listIncidents,
  openIncident,
  resolveIncident,
  updateIncident,
  type Component,
  type IncidentRow,
} from '../../status/index.ts';
import { addGroupHelp, addHelp } from './help.ts';
import { print, shortInstant, table } from './printing.ts';
import {
  describeDone,
  doneAsJson,
  idFrom,
  limited,
  look,
  readCommand,
  runAudited,
  withOperator,
  writeCommand,
  type ReadOptions,
  type WriteOptions,
} from './run-command.ts';

const impacts = ['degraded', 'outage', 'maintenance'] as const;

/** Text that partners read, and that a page can hold. */
function publicText(most: number): (text: string) => string {
  return (text) => {
    const trimmed = text.trim();
    if (trimmed === '' || trimmed.length > most) throw new InvalidArgumentError(`Use 1 to ${most} characters.`);
    return trimmed;
  };
}

function componentList(text: string): Component[] {
  const names = [...new Set(text.split(','))];
  return names.map((name) => {
    const found = components.find((component) => component === name);
    if (found === undefined) throw new InvalidArgumentError(`Use ${components.join(', ')}, separated by commas.`);
    return found;
  });
}

function withText(command: Command): Command {
  return command.requiredOption('--text <text>', 'what partners read', publicText(1_000));
}

function addList(group: Command): void {
  const list = limited(readCommand(group.command('list')))
    .description('List incidents, open ones first.')
    .option('--open', 'only open ones', false)
    .action(async ({ json, open, limit }: ReadOptions & { open: boolean; limit: number }) => {
      const found = await look(async (tx) => listIncidents(tx, { onlyOpen: open, atMost: limit }));
      const rows = found.map((one) => [
        one.id,
        one.impact,
        one.components.join(','),
        shortInstant(one.openedAt),
        shortInstant(one.resolvedAt),
        one.title,
      ]);
      const names = ['INCIDENT', 'IMPACT', 'COMPONENTS', 'OPENED', 'RESOLVED', 'TITLE'];
      print({ json }, found, table(names, rows, open ? 'No incident is open.' : 'There are no incidents.'));
    });
  addHelp(list, {
    example: 'kelpie-admin status list --open',
    prints: 'One line per incident: its id, impact, components, when it was opened and resolved, and its title.',
  });
}

interface OpenOptions extends WriteOptions {
  title: string;
  text: string;
  components: Component[];
  impact: (typeof impacts)[number];
}

async function openOne(options: OpenOptions): Promise<void> {
  const { json, dryRun, title, text, impact } = options;
  const { id, written } = await withOperator('operator', async (deps) =>
    runAudited(deps, options, async (tx) => {
      const newOne = newId(deps.clock);
      const recorded = await deps.record(tx, {
        action: 'status.open',
        subject: newOne,
        detail: { title, impact, components: options.components.join(','), text },
      });
      await openIncident(tx, { id: newOne, title, text, impact, components: options.components, at: deps.clock.now() });
      return { id: newOne, written: recorded };
    }),
  );
  const sentence = `The status page shows the incident within 15 seconds.\nIncident ${id}`;
  print({ json }, { id, ...doneAsJson(dryRun, written) }, describeDone(sentence, dryRun, written));
}

function addOpen(group: Command): void {
  const command = withText(writeCommand(group.command('open')))
    .description(
      'Open an incident on the public status page. Its components show at least its impact until it is resolved. Name no partner and no recipient.',
    )
    .requiredOption('--title <title>', 'one line, as partners read it', publicText(120))
    .requiredOption('--components <list>', `what it affects: ${components.join(', ')}`, componentList)
    .addOption(
      new Option('--impact <impact>', 'what partners notice; maintenance is planned')
        .choices(impacts)
        .makeOptionMandatory(),
    )
    .action(openOne);
  addHelp(command, {
    example:
      'kelpie-admin status open --title "Slow payouts" --components payouts --impact degraded --text "They complete later."',
    prints: 'The incident’s id and the audit log entry.',
  });
}

/** The incident that is meant. It can be left out while only one is open. */
async function findOpen(text: string | undefined): Promise<IncidentRow> {
  if (text !== undefined) {
    const id = idFrom(text);
    const found = id === undefined ? null : await look(async (tx) => findIncident(tx, id));
    if (found === null)
      throw new OperatorError(`No incident has the id ${text}. \`kelpie-admin status list\` shows them.`, 'not_found');
    if (found.resolvedAt !== null)
      throw new OperatorError(`That incident was resolved at ${shortInstant(found.resolvedAt)}.`, 'nothing_to_do');
    return found;
  }
  const [only, another] = await look(async (tx) => listIncidents(tx, { onlyOpen: true, atMost: 2 }));
  if (only === undefined) throw new OperatorError('No incident is open.', 'nothing_to_do');
  if (another !== undefined)
    throw new OperatorError('Several incidents are open. Name one: `kelpie-admin status list --open` shows them.');
  return only;
}

interface UpdateOptions extends WriteOptions {
  text: string;
  impact?: (typeof impacts)[number];
}

async function change(named: string | undefined, options: UpdateOptions, what: 'update' | 'resolve'): Promise<void> {
  const { json, dryRun, text, impact = null } = options;
  const { id, title } = await findOpen(named);
  const written = await withOperator('operator', async (deps) =>
    runAudited(deps, options, async (tx) => {
      const detail = what === 'update' ? { impact, text } : { text };
      const recorded = await deps.record(tx, { action: `status.${what}`, subject: id, detail });
      const at = deps.clock.now();
      const isDone =
        what === 'update'
          ? await updateIncident(tx, { id, text, impact, at })
          : await resolveIncident(tx, { id, text, at });
      if (!isDone) throw new OperatorError('That incident is already resolved.', 'nothing_to_do');
      return recorded;
    }),
  );
  const sentence = `${what === 'update' ? 'Updated' : 'Resolved'} “${title}”. The status page shows it within 15 seconds.`;
  print({ json }, { id, ...doneAsJson(dryRun, written) }, describeDone(sentence, dryRun, written));
}

const named = 'incident id; can be left out while only one is open';

function addUpdate(group: Command): void {
  const command = withText(writeCommand(group.command('update')))
    .argument('[incident]', named)
    .description('Update an open incident: add what is known now. Earlier updates stay.')
    .addOption(new Option('--impact <impact>', 'the new impact; without it, it stays').choices(impacts))
    .action(async (incident: string | undefined, options: UpdateOptions) => change(incident, options, 'update'));
  addHelp(command, {
    example: 'kelpie-admin status update --text "The bank has found the cause."',
    prints: 'The incident and the audit log entry.',
  });
}

function addResolve(group: Command): void {
  const command = withText(writeCommand(group.command('resolve')))
    .argument('[incident]', named)
    .description('Resolve an open incident. The page keeps it for 90 days.')
    .action(async (incident: string | undefined, options: UpdateOptions) => change(incident, options, 'resolve'));
  addHelp(command, {
    example: 'kelpie-admin status resolve --text "All payouts have completed."',
    prints: 'The incident and the audit log entry.',
  });
}

export function addStatusCommands(kelpie: Command): void {
  const group = kelpie.command('status').description('Write what the public status page says about incidents.');
  addList(group);
  addOpen(group);
  addUpdate(group);
  addResolve(group);
  addGroupHelp(group, {
    about:
      'The page is at /status of the api. Write what partners notice, what happens to their money, and what to do. An incident cannot make a component look better than it is measured.',
    example: 'kelpie-admin status list --open',
  });
}
