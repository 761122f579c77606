/** Which sources have reported views of a project, and for which days. */
import { sql } from 'kysely'
import type { Database } from '../../database/database.ts'
import type { Id } from '../../platform/ids.ts'
import type { CountingSource } from '../classify/classify-request.ts'
import type { IsoDate } from '../tables.ts'

export interface SourceCoverage {
  source: CountingSource
  firstDay: IsoDate
  lastDay: IsoDate
}

export const listSourceCoverage = (db: Database, projectId: Id<'prj'>): Promise<SourceCoverage[]> =>
  db
    .selectFrom('source_coverage')
    .select('source as source')
    .select([sql<IsoDate>`min(first_day)::text`.as('firstDay'), sql<IsoDate>`max(last_day)::text`.as('lastDay')])
    .where('project_id', '=', projectId)
    .groupBy('source')
    .orderBy('source')
    .execute()
