import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTransport } from 'nodemailer';
import { startMailInbox } from './inbox.ts';

const inbox = await startMailInbox({ smtp: 0, page: 0 });
const transport = createTransport({ host: '127.0.0.1', port: inbox.smtpPort, ignoreTLS: true });
after(async () => {
  transport.close();
  await inbox.close();
});

test('a mail that was sent over SMTP can be read, as text and as HTML', async () => {
  const { messageId } = await transport.sendMail({
    from: 'Kelpie <hello@kelpie.example>',
    to: 'ada@example.com',
    bcc: 'audit@example.com',
    subject: 'Your code: 123 456 — größer',
    text: 'The code is 123456.',
    html: '<p>The code is <b>123456</b>.</p>',
  });
  const mail = await inbox.waitForMail('ada@example.com');
  assert.equal(mail.subject, 'Your code: 123 456 — größer');
  assert.equal(mail.from, 'hello@kelpie.example');
  assert.deepEqual(mail.to, ['ada@example.com', 'audit@example.com']);
  assert.equal(mail.text.trim(), 'The code is 123456.');
  assert.match(mail.html ?? '', /<b>123456<\/b>/);
  assert.equal(mail.messageId, messageId);
});

test('a mail that does not come is an error after the deadline', async () => {
  await assert.rejects(
    inbox.waitForMail('nobody@example.com', 50),
    /no email to nobody@example.com arrived within 50 ms/,
  );
});

test('the page shows a mail without running anything in it', async () => {
  await transport.sendMail({
    from: 'a@example.com',
    to: 'b@example.com',
    subject: '<script>alert(1)</script>',
    text: 'x',
  });
  await inbox.waitForMail('b@example.com');
  const page = await (await fetch(`http://127.0.0.1:${inbox.pagePort}/`)).text();
  assert.match(page, /&lt;script&gt;alert\(1\)/);
  assert.doesNotMatch(page, /<script/);
});
