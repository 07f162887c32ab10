// What tests use for people and secrets, so that it is known wherever it turns up.

/** Of the recipient that a payout of a test pays: never to be seen outside the bank, in a log, an error, an answer. */
export const canaries = {
  sortCode: '040977',
  accountNumber: '77315678',
  line1: 'Canary Wharf 77',
  email: 'canary@example.test',
};

/** Surnames of recipients that tests pay. */
export const canaryNames = ['Canaryname', 'Byron'];
