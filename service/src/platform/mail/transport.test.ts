import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { startMailInbox } from '@kelpie/dev/mail/inbox.ts';
import { startTcpProxy } from '@kelpie/dev/tcp-proxy.ts';
import { testCertificate } from '@kelpie/dev/test-certificate.ts';
import { openMailTransport, rejectionStatus } from './transport.ts';

const inbox = await startMailInbox({ smtp: 0, page: 0 }, (address) => {
  const [, status, text = ''] = /^(\d{3})-([^@]*)@/.exec(address) ?? [];
  return status === undefined ? undefined : { status: Number(status), text: text.replaceAll('_', ' ') };
});
after(inbox.close);

const from = { name: 'Kelpie', address: 'no-reply@kelpie.example', domain: 'kelpie.example' };
const letter = {
  subject: 'A trial',
  text: 'A trial.\n',
  html: '<p>A trial.</p>',
  messageId: '<1@kelpie.example>',
  date: new Date('2026-11-15T10:00:00Z'),
};

function open(port: number, requireTls = false) {
  const transport = openMailTransport({
    relay: { host: '127.0.0.1', port, secure: false, auth: null },
    from,
    requireTls,
  });
  after(() => transport.close());
  return transport;
}

const transport = open(inbox.smtpPort);

test('faults 55: a line break in a subject, a name or an address makes no header and no recipient', async () => {
  const injected = `Tideway\r\nBcc: mallory@example.com\r\n\r\nPay me`;
  await openMailTransport({
    relay: { host: '127.0.0.1', port: inbox.smtpPort, secure: false, auth: null },
    from: { ...from, name: injected },
    requireTls: false,
  }).send({ ...letter, to: 'ada@example.com', subject: injected });
  const mail = await inbox.waitForMail('ada@example.com');
  assert.deepEqual(mail.to, ['ada@example.com']);
  assert.equal(mail.from, 'no-reply@kelpie.example');
  assert.match(mail.subject, /^Tideway\s+Bcc: mallory@example\.com\s+Pay me$/);
  assert.equal(mail.text.trim(), 'A trial.');

  const two = transport.send({ ...letter, to: 'bob@example.com>\r\nRCPT TO:<mallory@example.com' });
  await Promise.allSettled([two]);
  assert(!inbox.mails().some(({ to }) => to.includes('mallory@example.com')));
});

test('that there is no such address is for good; anything else is worth another try', async () => {
  for (const status of [550, 551, 552, 553])
    assert.deepEqual(await transport.send({ ...letter, to: `${status}-No_such_user@example.com` }), {
      kind: 'refused',
      status,
    });
  for (const detail of ['5.1.1', '5.2.2', '5.4.1'])
    assert.deepEqual(await transport.send({ ...letter, to: `550-${detail}_No@example.com` }), {
      kind: 'refused',
      status: 550,
    });
  for (const to of ['450-Later', '421-Closing', '530-Sign_in_first', '554-No_relay', '550-5.7.1_No_relay', '503-What'])
    await assert.rejects(transport.send({ ...letter, to: `${to}@example.com` }), to);
});

function said(command: string): Error {
  return Object.assign(new Error('no'), { command, response: '550 No', responseCode: 550 });
}

test('only what was said to the recipient refuses an address', () => {
  assert.equal(rejectionStatus(said('RCPT TO')), 550);
  for (const command of ['MAIL FROM', 'DATA', 'AUTH PLAIN', 'CONN'])
    assert.equal(rejectionStatus(said(command)), undefined);
  assert.equal(rejectionStatus('550 No'), undefined);
});

test('where TLS is asked for, a relay that has none is told nothing', async () => {
  await assert.rejects(open(inbox.smtpPort, true).send({ ...letter, to: 'private@example.com' }), { code: 'ETLS' });
  assert(!inbox.mails().some(({ to }) => to.includes('private@example.com')));
});

test('TLS from the first byte is spoken with a relay that somebody vouches for, and with no other', async (t) => {
  const front = createServer(testCertificate, (client) => {
    const behind = connect(inbox.smtpPort, '127.0.0.1');
    client.on('error', () => behind.destroy()).pipe(behind);
    behind.on('error', () => client.destroy()).pipe(client);
  });
  front.on('tlsClientError', () => undefined).listen(0, '127.0.0.1');
  await once(front, 'listening');
  const address = front.address();
  assert(typeof address === 'object' && address !== null);
  const secured = openMailTransport({
    relay: { host: '127.0.0.1', port: address.port, secure: true, auth: null },
    from,
    requireTls: true,
  });
  const trusted = getCACertificates();
  t.after(() => {
    setDefaultCACertificates(trusted);
    secured.close();
    front.close();
  });
  await assert.rejects(secured.send({ ...letter, to: 'stranger@example.com' }));
  setDefaultCACertificates([...trusted, testCertificate.cert]);
  assert.deepEqual(await secured.send({ ...letter, to: 'known@example.com' }), { kind: 'taken' });
  await inbox.waitForMail('known@example.com');
  assert(!inbox.mails().some(({ to }) => to.includes('stranger@example.com')));
});

test('a relay that says nothing is not waited for', async (t) => {
  const proxy = await startTcpProxy({ host: '127.0.0.1', port: inbox.smtpPort });
  t.after(proxy.close);
  proxy.setFault({ kind: 'black-hole' });
  const startedAt = performance.now();
  await assert.rejects(open(proxy.port).send({ ...letter, to: 'slow@example.com' }), { code: 'ETIMEDOUT' });
  assert(performance.now() - startedAt < 15_000);
});
