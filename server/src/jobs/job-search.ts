/** The text that a job search covers: title, id and the beginning of the prompt. */
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database, DatabaseTransaction } from '../database/database.ts'
import type { Id } from '../platform/ids.ts'

/** A search without a match reads every row; with complete prompts that took several times as long. */
const searchedPromptCharacters = 300

export const buildJobSearchTextSql = (job: { id: string; title: string | null; prompt: string }): RawBuilder<string> =>
  sql<string>`lower(concat_ws(E'\n', ${job.title}::text, ${job.id}::text, left(${job.prompt}, ${searchedPromptCharacters}::int)))`

/** Adds the title to the search text. Call it before the job is updated: a job gets a title only if it has none. */
export async function addTitleToSearch(
  tx: DatabaseTransaction,
  { projectId, jobId }: { projectId: Id<'prj'>; jobId: Id<'job'> },
  title: string,
): Promise<void> {
  await tx
    .updateTable('job_search')
    .set({ search_text: sql<string>`lower(${title}) || E'\n' || search_text` })
    .where('project_id', '=', projectId)
    .where('job_id', '=', jobId)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('job')
          .where('project_id', '=', projectId)
          .where('id', '=', jobId)
          .where('title', 'is', null)
          .select('id'),
      ),
    )
    .execute()
}

/** A condition on the `job` of the enclosing query. The text is matched literally, never as a pattern. */
export const buildJobSearchCondition = (db: Database, text: string): Expression<SqlBool> =>
  sql<boolean>`EXISTS (${db
    .selectFrom('job_search')
    .select('job_search.job_id')
    .where(sql<boolean>`job_search.project_id = job.project_id AND job_search.job_id = job.id`)
    .where(sql<boolean>`strpos(job_search.search_text, lower(${text})) > 0`)})`
