import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseError } from 'pg';
import { ApiError } from '../api-error.ts';
import { databaseStateOf, isConnectionUsable } from './database-state.ts';
import { CommitUncertain, refuseStatement } from './unavailable.ts';
import { openWriteGate } from './write-gate.ts';

function serverError(code: string): DatabaseError {
  const error = new DatabaseError('a text that may quote a row', 1, 'error');
  error.code = code;
  return error;
}

function systemError(code: string): Error {
  return Object.assign(new Error('connect'), { code });
}

const lost = [serverError('08006'), systemError('ECONNRESET'), new Error('Connection terminated unexpectedly')];

/** What the caller of a statement gets, and whether the gate was closed. */
function refuse(error: unknown, { writes, isCommit }: { writes: boolean; isCommit: boolean }) {
  let closed = 0;
  const gate = { ...openWriteGate, close: () => void (closed += 1) };
  return { refused: refuseStatement(gate, error, { writes, isCommit }), isClosed: closed > 0 };
}

test('every state of the database has a code for the log, and a bug has none', () => {
  const states = [
    ['25006', 'database_read_only'],
    ['57P01', 'database_shutting_down'],
    ['57P03', 'database_shutting_down'],
    ['53300', 'database_connections_refused'],
    ['53100', 'database_out_of_space'],
    ['55P03', 'database_busy'],
    ['23505', undefined],
    ['KP001', undefined],
  ] as const;
  for (const [code, state] of states) assert.equal(databaseStateOf(serverError(code)), state, code);
  for (const error of lost) assert.equal(databaseStateOf(error), 'database_unreachable', error.message);
  assert.equal(databaseStateOf(new Error('Query read timeout')), 'database_timed_out');
  assert.equal(databaseStateOf(new TypeError('x is not a function')), undefined);
});

test('a connection that met a read-only or ending server is not used again, one that met a constraint is', () => {
  for (const error of [...lost, serverError('25006'), serverError('57P01')])
    assert.equal(isConnectionUsable(error), false);
  for (const error of [serverError('23505'), serverError('55P03')]) assert.equal(isConnectionUsable(error), true);
});

test('a write that was lost is uncertain, one that the server refused is not, and both close the gate', () => {
  for (const error of [...lost, new Error('Query read timeout'), serverError('57P01')]) {
    const { refused, isClosed } = refuse(error, { writes: true, isCommit: true });
    assert(refused instanceof CommitUncertain, String(error));
    assert(isClosed);
  }
  const { refused, isClosed } = refuse(serverError('25006'), { writes: true, isCommit: true });
  assert(refused instanceof ApiError && refused.code === 'unavailable');
  assert(isClosed);
});

test('before its commit nothing of a transaction is uncertain, and a read never closes the gate', () => {
  const before = refuse(new Error('Connection terminated unexpectedly'), { writes: true, isCommit: false });
  assert(before.refused instanceof ApiError);
  const read = refuse(new Error('Connection terminated unexpectedly'), { writes: false, isCommit: false });
  assert(read.refused instanceof ApiError);
  assert.equal(read.isClosed, false);
});

test('what callers wait for or wrote themselves is handed on as it is', () => {
  for (const code of ['55P03', '40001', '23505', 'KP410']) {
    const error = serverError(code);
    assert.equal(refuse(error, { writes: true, isCommit: true }).refused, error);
  }
});
