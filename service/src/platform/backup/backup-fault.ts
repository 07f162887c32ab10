export type BackupFaultCode =
  | 'repository_unavailable'
  | 'no_backup'
  | 'backup_old'
  | 'backup_has_errors'
  | 'restore_failed'
  | 'recovery_failed'
  | 'wal_missing'
  | 'work_lost'
  | 'ledger_differs'
  | 'audit_differs'
  | 'too_slow';

/** What is wrong with a backup, and what to do: the finding of a drill, not an error of the command. */
export interface BackupFinding {
  code: BackupFaultCode;
  message: string;
}

/** A finding that ends the drill. */
export class BackupFault extends Error implements BackupFinding {
  override readonly name = 'BackupFault';
  readonly code: BackupFaultCode;

  constructor(code: BackupFaultCode, message: string) {
    super(message);
    this.code = code;
  }
}
