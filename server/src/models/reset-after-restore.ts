/** Emails about budgets that were pending in a backup may have been sent since. They are not sent again: the dashboard shows the notices. */
import type { ClientBase } from 'pg'

export async function deleteBudgetEmailsAfterRestore(client: ClientBase): Promise<void> {
  await client.query('DELETE FROM budget_notice_email')
}
