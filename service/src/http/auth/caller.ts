type Role = 'admin' | 'viewer';

interface KnownCaller {
  /** The API key's id, or the session's. */
  callerId: string;
  /** Whose limits it takes from: the key's own, or the person's, who may have many sessions and trade one for another. */
  limitId: string;
  /** How people know who it is: the start of the key, or an email address. */
  by: string;
  partnerId: string;
  environment: 'sandbox' | 'live';
  /** The environment that the request asked for, for the activity; null where it has none. */
  askedEnvironment: 'sandbox' | 'live' | null;
}

/** A partner's program, by an API key: the key stands for one environment. */
export interface KeyCaller extends KnownCaller {
  via: 'api';
  /** `read` may change nothing. */
  scope: 'pay' | 'read';
}

/** A person who has signed in, in the environment that the request names. */
interface PersonCaller extends KnownCaller {
  via: 'dashboard';
  role: Role;
}

export type Caller = KeyCaller | PersonCaller;

/** A session, before a request says which environment it is about. */
export interface SignedIn {
  sessionId: string;
  partnerId: string;
  email: string;
  role: Role;
  /** Whether the partner may pay with real money: before that there is no live environment to look at. */
  hasLive: boolean;
}
