import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { findPort } from '@kelpie/dev/free-port.ts';
import { projectFolder } from '@kelpie/dev/project.ts';
import { createTestDatabase } from '../harness/database.ts';
import { testSecrets } from '../harness/secrets.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-pipe-'));
after(() => rmSync(folder, { recursive: true }));
const pipe = path.join(folder, 'pipe');
execFileSync('mkfifo', [pipe]);

/** Somewhere to log to that takes nothing, as its reader stalls. */
function openFullPipe(): { writer: number; close: () => void } {
  const file = path.join(folder, 'full');
  execFileSync('mkfifo', [file]);
  const reader = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  const filler = openSync(file, constants.O_WRONLY | constants.O_NONBLOCK);
  assert.throws(() => {
    for (;;) writeSync(filler, Buffer.alloc(4096));
  }, /EAGAIN/);
  return { writer: openSync(file, constants.O_WRONLY), close: () => [reader, filler].forEach((fd) => closeSync(fd)) };
}

test('faults 74: a worker whose log is not read at all begins, is ready, and ends on SIGTERM', async () => {
  const { writer, close } = openFullPipe();
  const port = await findPort();
  const child = spawn(process.execPath, ['service/src/app/worker.ts'], {
    cwd: projectFolder,
    stdio: ['ignore', writer, 'inherit'],
    env: {
      ...testSecrets,
      KELPIE_MODE: 'development',
      KELPIE_DATABASE_URL: (await createTestDatabase()).serviceUrl,
      KELPIE_METRICS_PORT: String(port),
      KELPIE_SMTP_URL: 'none',
    },
  });
  closeSync(writer);
  const isReady = async (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
  await eventually('it is ready', isReady, 60_000);
  const ended = new Promise((resolve) => child.on('exit', resolve));
  child.kill('SIGTERM');
  assert.equal(await ended, 0);
  close();
});

test('faults 74: the same holds for a socket, as the journal’s', async () => {
  const child = spawn(process.execPath, ['service/test/programs/log-much.ts'], {
    cwd: projectFolder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (data) => (said += String(data)));
  const megabytes = Number(await eventually('it went on', async () => /(\d+) MB/.exec(said)?.[1], 60_000));
  assert(megabytes < 160, `${megabytes} MB`);
  const ended = new Promise((resolve) => child.on('exit', resolve));
  child.kill('SIGTERM');
  assert.equal(await ended, 0);
  let logged = '';
  child.stdout.on('data', (data) => (logged += String(data)));
  await eventually('what it wrote is whole', async () => logged.includes('request.done'));
});

test('faults 74: a log reader that stalls neither holds the process up nor fills its memory, and what was dropped is said', async () => {
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(pipe, constants.O_WRONLY);
  const child = spawn(process.execPath, ['service/test/programs/log-much.ts'], {
    cwd: projectFolder,
    stdio: ['ignore', writer, 'pipe'],
  });
  closeSync(writer);
  assert(child.stderr !== null);
  let said = '';
  child.stderr.on('data', (data) => (said += String(data)));
  // It has logged some 18 MB, and nobody has read a byte.
  const megabytes = Number(await eventually('it went on', async () => /(\d+) MB/.exec(said)?.[1], 60_000));
  assert(megabytes < 160, `${megabytes} MB`);
  let logged = '';
  const reading = new Socket({ fd: reader, readable: true, writable: false });
  reading.on('data', (data) => (logged += String(data)));
  await eventually('it says what it dropped', async () => logged.includes('"event":"log.dropped"'), 60_000);
  const [, dropped] = /"lines":(\d+),"event":"log.dropped"/.exec(logged) ?? [];
  const written = logged.split('\n').filter((line) => line.includes('request.done')).length;
  assert.equal(written + Number(dropped), 60_000);
  reading.pause();
  const ended = new Promise((resolve) => child.on('exit', resolve));
  child.kill('SIGTERM');
  assert.equal(await ended, 0);
  reading.destroy();
});
