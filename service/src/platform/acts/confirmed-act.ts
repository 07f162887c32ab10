import type { PartnerContext, Transaction } from '../database/transaction.ts';
import type { MailMessage } from '../mail/layout.ts';

// How people confirm a sensitive act, and how admins learn of one. The access module does both; every module may need them.

/** What an emailed code confirms. It fits nothing that differs in any of this. */
export interface ActToConfirm {
  /** The action and all of its fields, as one text. */
  act: string;
  business: string;
  /** Completes "Use this code to …", so that a person who was tricked can see it. */
  does: string;
  facts: readonly (readonly [label: string, value: string])[];
}

/** What a browser asks an authenticator to sign, and with which passkeys. Texts are base64url. */
export interface PasskeyRequest {
  challenge: string;
  rp_id: string;
  /** Those that fit; for a new one, those that the person has already. */
  credentials: { id: string; transports: string[] }[];
}

/** How a person can confirm what was asked. */
export interface AskedConfirmation {
  goodUntil: Date;
  /** For a person who has to use a passkey; null for any other, for whom the emailed code is enough. */
  passkey: PasskeyRequest | null;
}

/** Who confirms, in which session. */
export interface ConfirmingAdmin {
  partnerId: string;
  by: string;
  sessionId: string;
}

interface ConfirmedAct<Planned extends { toConfirm: ActToConfirm | null }> {
  code: string | undefined;
  /** `member` where a viewer may do it too. Default: only an admin. */
  by?: 'admin' | 'member';
  /**
   * Runs first: it throws what would refuse the act with any code, so no code is mailed for nothing. `toConfirm` is null
   * where the act needs none. It locks neither wallets nor counters: a payout takes those after its code.
   */
  plan: (tx: Transaction) => Promise<Planned>;
}

/**
 * Performs an act in one transaction with its plan, a second check of the admin, and the use of the code or the passkey.
 * A person who needs a passkey proves the act with it, and repeats the request; no code is mailed or accepted.
 * Without a code, it mails one and throws `confirmation_required`; a wrong one is counted, and `invalid_confirm_code` thrown.
 */
export type InConfirmedTransaction = <Planned extends { toConfirm: ActToConfirm | null }, Result>(
  admin: ConfirmingAdmin,
  act: ConfirmedAct<Planned>,
  context: PartnerContext,
  perform: (tx: Transaction, planned: Planned) => Promise<Result>,
) => Promise<Result>;

interface AdminMail {
  kind: string;
  message: MailMessage;
  /** Others that the change concerns: the member who is removed, an address that is replaced. */
  also?: readonly string[];
  /** Admins whom it asks nothing of. */
  except?: readonly (string | null)[];
}

/**
 * Emails all admins, each with a link of their own by which they can freeze live payouts. Call it before the change is
 * written: it reads who is an admin then, and a thief must not be able to remove those who would see it.
 */
export type NotifyAdmins = (tx: Transaction, mail: AdminMail) => Promise<void>;
