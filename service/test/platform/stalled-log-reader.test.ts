import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { projectFolder } from '@kelpie/dev/project.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-pipe-'));
after(() => rmSync(folder, { recursive: true }));
const pipe = path.join(folder, 'pipe');
execFileSync('mkfifo', [pipe]);

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
