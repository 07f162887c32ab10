import { Option, type Command } from 'commander';
import { findJob, listJobs, type AdminJob } from '../../platform/jobs/admin-jobs.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { withJobs } from '../wiring/with-jobs.ts';
import {
  writeCommand,
  runAudited,
  doneAs,
  idFrom,
  limited,
  look,
  readCommand,
  withOperator,
  sayDone,
  type WriteOptions,
  type ReadOptions,
} from './run-command.ts';
import { print, shortInstant, table } from './printing.ts';
import { addHelp, addGroupHelp } from './help.ts';

const states = ['failed', 'retry', 'created', 'active', 'completed', 'cancelled', 'all'];

function rowOf(job: AdminJob): string[] {
  return [
    job.id,
    job.queue,
    job.state,
    `${job.tries} of ${job.mostTries}`,
    shortInstant(job.createdAt),
    shortInstant(job.endedAt),
    job.error ?? '-',
  ];
}

interface ListOptions extends ReadOptions {
  state: string;
  queue?: string;
  limit: number;
}

function addList(jobs: Command): void {
  const list = limited(readCommand(jobs.command('list')))
    .description('Jobs, the newest first: those that were given up, unless you ask for others.')
    .addOption(
      new Option('--state <state>', 'which: retry waits for another try, created for its first')
        .choices(states)
        .default('failed'),
    )
    .option('--queue <name>', 'only those of this queue')
    .action(async ({ json, state, queue, limit }: ListOptions) => {
      const found = await look(async (tx) =>
        listJobs(tx, { state: state === 'all' ? null : state, queue: queue ?? null, atMost: limit }),
      );
      const names = ['JOB', 'QUEUE', 'STATE', 'TRIES', 'MADE', 'ENDED', 'ERROR'];
      const none = state === 'failed' ? 'None: no job was given up.' : 'There are none.';
      print({ json }, found, table(names, found.map(rowOf), none));
    });
  addHelp(list, {
    when: 'The alarm `job.given_up` rang, or something that should have happened by itself has not.',
    examples: ['kelpie-admin jobs list', 'kelpie-admin jobs list --state retry --queue send-mail'],
    prints:
      'a line a job: its queue, how often it was tried, and its last error: a kind and a code, never what it worked on.',
  });
}

async function getJob(text: string): Promise<AdminJob> {
  const id = idFrom(text);
  const job = id === undefined ? null : await look(async (tx) => findJob(tx, id));
  if (job !== null) return job;
  throw new OperatorError(
    `There is no job ${text}. \`kelpie-admin jobs list\` shows their ids; one that is done is forgotten after some days.`,
    'not_found',
  );
}

function describeJob(job: AdminJob): string {
  const args = Object.entries(job.arguments).map(([name, value]) => `${name} ${value}`);
  const lines = [
    `Job ${job.id} of ${job.queue}: ${job.state}`,
    `  tried ${job.tries} of ${job.mostTries} times, made ${job.createdAt.toISOString()}`,
    ...(job.endedAt === null ? [] : [`  ended ${job.endedAt.toISOString()}`]),
    ...(job.nextAt === null ? [] : [`  tried next at ${job.nextAt.toISOString()}`]),
    ...(args.length === 0 ? [] : [`  about ${args.join(', ')}`]),
    ...(job.error === null ? [] : ['', `Its last error: ${job.error}`, ...job.errorAt.map((place) => `  at ${place}`)]),
  ];
  return `${lines.join('\n')}\n`;
}

function addShow(jobs: Command): void {
  const show = readCommand(jobs.command('show'))
    .argument('<id>', 'the id of the job')
    .description('One job: what it is about, how often it was tried, and where in the code it failed last.')
    .action(async (id: string, { json }: ReadOptions) => {
      const job = await getJob(id);
      print({ json }, job, describeJob(job));
    });
  addHelp(show, {
    when: 'You want to know whether what a job failed by is over, before you have it tried again.',
    examples: ['kelpie-admin jobs show 0b9f6c3e-5a54-4c0f-9d0e-2f1a5b1c7d11'],
    prints: 'the ids that it is about, and its last error with the places in the code.',
  });
}

async function retry(text: string, options: WriteOptions): Promise<void> {
  const { json, dryRun } = options;
  const job = await getJob(text);
  const { id, queue, state } = job;
  const written = await withOperator(options, 'service', async (deps) =>
    withJobs(deps, async (desk) =>
      runAudited(deps, options, async (tx) => {
        const recorded = await deps.record(tx, {
          action: 'job.retry',
          subject: id,
          detail: { queue, error: job.error },
        });
        if (!(await desk.retry(tx, { queue, id })))
          throw new OperatorError(`Job ${id} is ${state}: only one that failed is tried again.`, 'nothing_to_do');
        return recorded;
      }),
    ),
  );
  const sentence = `Job ${id} of ${queue} is tried once more, within seconds. \`kelpie-admin jobs show ${id}\` tells how it went.`;
  print({ json }, { id, queue, ...doneAs(dryRun, written) }, sayDone(sentence, dryRun, written));
}

function addRetry(jobs: Command): void {
  const command = writeCommand(jobs.command('retry'))
    .argument('<id>', 'the id of the job')
    .description('Have a job that was given up tried once more. Every job is safe to repeat.')
    .action(retry);
  addHelp(command, {
    when: 'What a job failed by is mended: the relay is back, the bank answers again.',
    examples: ['kelpie-admin jobs retry 0b9f6c3e-5a54-4c0f-9d0e-2f1a5b1c7d11 --operator ada@kelpie.example'],
    prints: 'that it waits for a worker now, and where that stands in the log of the operators.',
  });
}

export function addJobCommands(kelpie: Command): void {
  const jobs = kelpie.command('jobs').description('Look after jobs: what workers do after a commit.');
  addList(jobs);
  addShow(jobs);
  addRetry(jobs);
  addGroupHelp(jobs, {
    when: 'A job that fails is tried again by itself, some times. One that was given up waits for a person.',
    examples: ['kelpie-admin jobs list', 'kelpie-admin jobs retry 0b9f6c3e-5a54-4c0f-9d0e-2f1a5b1c7d11'],
  });
}
