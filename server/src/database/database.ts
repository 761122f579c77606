/** All tables of PostgreSQL, each declared once, by the module that owns it. */
import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import type { Pool } from 'pg'
import type { AnalyticsTables } from '../analytics/tables.ts'
import type { AuditTables } from '../audit/tables.ts'
import type { GithubTables } from '../github/tables.ts'
import type { JobTables } from '../jobs/tables.ts'
import type { KeyTables } from '../keys/tables.ts'
import type { ModelTables } from '../models/tables.ts'
import type { PeopleTables } from '../people/tables.ts'
import type { ProjectDeletionTables } from '../project-deletion/tables.ts'
import type { ProjectTables } from '../projects/tables.ts'
import type { WebhookTables } from '../webhooks/tables.ts'

interface UpgradeTables {
  instance_upgrade: { only_row: boolean; oldest_version: string }
}

interface BackupTables {
  instance_backup: { moment: Date; finished_at: Date | null; storage: string }
  instance_backup_schedule: { only_row: boolean; since: Date }
}

export interface Tables
  extends AnalyticsTables,
    AuditTables,
    BackupTables,
    GithubTables,
    JobTables,
    KeyTables,
    ModelTables,
    PeopleTables,
    ProjectDeletionTables,
    ProjectTables,
    UpgradeTables,
    WebhookTables {}

export type Database = Kysely<Tables>
export type DatabaseTransaction = Transaction<Tables>

export const createDatabase = (pool: Pool): Database => new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
