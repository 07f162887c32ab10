import { Option, type Command } from 'commander';
import { findJob, listJobs, type AdminJob } from '../../platform/jobs/admin-jobs.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { withJobs } from '../wiring/with-jobs.ts';
import {
  writeCommand,
  runAudited,
  doneAsJson,
  idFrom,
  limited,
  look,
  readCommand,
  withOperator,
  describeDone,
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
    .description('List jobs, newest first. Without --state, those that failed permanently.')
    .addOption(
      new Option(
        '--state <state>',
        'only jobs in this state; a created job has not run yet, a retry job will run again',
      )
        .choices(states)
        .default('failed'),
    )
    .option('--queue <name>', 'only jobs of this queue')
    .action(async ({ json, state, queue, limit }: ListOptions) => {
      const found = await look(async (tx) =>
        listJobs(tx, { state: state === 'all' ? null : state, queue: queue ?? null, atMost: limit }),
      );
      const names = ['JOB', 'QUEUE', 'STATE', 'RETRIES', 'CREATED', 'ENDED', 'ERROR'];
      const none = state === 'failed' ? 'No job has failed permanently.' : 'No jobs match.';
      print({ json }, found, table(names, found.map(rowOf), none));
    });
  addHelp(list, {
    example: 'kelpie-admin jobs list --state retry --queue send-mail',
    prints: 'One line per job: queue, state, retries, and the type and code of its last error.',
  });
}

async function getJob(text: string): Promise<AdminJob> {
  const id = idFrom(text);
  const job = id === undefined ? null : await look(async (tx) => findJob(tx, id));
  if (job !== null) return job;
  throw new OperatorError(
    `No job has the id ${text}. \`kelpie-admin jobs list --state all\` shows the ids. Finished jobs are deleted after a few days.`,
    'not_found',
  );
}

function describeJob(job: AdminJob): string {
  const args = Object.entries(job.arguments).map(([name, value]) => `${name} ${value}`);
  const lines = [
    `Job ${job.id} of ${job.queue}: ${job.state}`,
    `  retries ${job.tries} of ${job.mostTries}, created ${job.createdAt.toISOString()}`,
    ...(job.endedAt === null ? [] : [`  ended ${job.endedAt.toISOString()}`]),
    ...(job.nextAt === null ? [] : [`  next attempt ${job.nextAt.toISOString()}`]),
    ...(args.length === 0 ? [] : [`  arguments ${args.join(', ')}`]),
    ...(job.error === null ? [] : ['', `Last error: ${job.error}`, ...job.errorAt.map((place) => `  at ${place}`)]),
  ];
  return `${lines.join('\n')}\n`;
}

function addShow(jobs: Command): void {
  const show = readCommand(jobs.command('show'))
    .argument('<id>', 'job id')
    .description('Show a job with its arguments and last error.')
    .action(async (id: string, { json }: ReadOptions) => {
      const job = await getJob(id);
      print({ json }, job, describeJob(job));
    });
  addHelp(show, {
    example: 'kelpie-admin jobs show 0b9f6c3e-5a54-4c0f-9d0e-2f1a5b1c7d11',
    prints: 'State, retries, argument ids, and the last error with its stack trace.',
  });
}

async function retry(text: string, options: WriteOptions): Promise<void> {
  const { json, dryRun } = options;
  const job = await getJob(text);
  const { id, queue, state } = job;
  const written = await withOperator('service', async (deps) =>
    withJobs(deps, async (desk) =>
      runAudited(deps, options, async (tx) => {
        const recorded = await deps.record(tx, {
          action: 'job.retry',
          subject: id,
          detail: { queue, error: job.error },
        });
        if (!(await desk.retry(tx, { queue, id })))
          throw new OperatorError(`Job ${id} is ${state}. Only a failed job can be retried.`, 'nothing_to_do');
        return recorded;
      }),
    ),
  );
  const sentence = `Job ${id} of ${queue} runs again within seconds. Check with \`kelpie-admin jobs show ${id}\`.`;
  print({ json }, { id, queue, ...doneAsJson(dryRun, written) }, describeDone(sentence, dryRun, written));
}

function addRetry(jobs: Command): void {
  const command = writeCommand(jobs.command('retry'))
    .argument('<id>', 'job id')
    .description('Retry a failed job. Fix its cause first. Every job is safe to repeat.')
    .action(retry);
  addHelp(command, {
    example: 'kelpie-admin jobs retry 0b9f6c3e-5a54-4c0f-9d0e-2f1a5b1c7d11',
    prints: 'The job that was queued and the audit log entry.',
  });
}

export function addJobCommands(kelpie: Command): void {
  const jobs = kelpie.command('jobs').description('List and retry background jobs.');
  addList(jobs);
  addShow(jobs);
  addRetry(jobs);
  addGroupHelp(jobs, {
    about:
      'A worker retries a failing job several times. After its last attempt the job is failed, and an operator decides.',
    example: 'kelpie-admin jobs list',
  });
}
