/** The codes that our functions raise on purpose. Each is raised in one place; a test keeps this list equal to the SQL. */
export const sqlStates = {
  walletShort: 'KP402',
  notProposed: 'KP404',
  caseRevisionChanged: 'KP409',
  railChanged: 'KP410',
  caseClosed: 'KP411',
  beyondDifference: 'KP416',
  correctedElsewhere: 'KP417',
  actNotDone: 'KP418',
  booksClosed: 'KP423',
  suspenseShort: 'KP424',
  proposalDecided: 'KP430',
  proposalOwn: 'KP431',
  proposalExpired: 'KP432',
  payoutMoved: 'KP433',
  payoutInProgress: 'KP434',
  adoptionNotCovered: 'KP435',
} as const;
