/** Records and mails notices that most of a month's budget is used. In `api`, which can send email. */
import type { ConfiguredCeilings, SpendScope } from '../../models/budget.ts'
import type { BudgetNoticeStore, NoticeEmail } from '../../models/budget-notice-store.ts'
import type { BudgetStore } from '../../models/budget-store.ts'
import type { MemberStore } from '../../people/member-store.ts'
import type { PersonStore } from '../../people/person-store.ts'
import { type BackgroundTask, runSteps, startBackgroundTask } from '../../platform/background-task.ts'
import type { Log } from '../../platform/log.ts'
import type { Mailer } from '../../platform/mailer.ts'
import type { ProjectStore } from '../../projects/project-store.ts'
import { shortenForSubject } from './shorten-for-subject.ts'
import { withoutLinks } from './without-links.ts'

export interface BudgetNoticeDeps {
  notices: BudgetNoticeStore
  budgets: BudgetStore
  projects: ProjectStore
  members: MemberStore
  people: PersonStore
  ceilings: ConfiguredCeilings
  /** Undefined: notices are only shown on the dashboard. */
  mailer: Mailer | undefined
  publicUrl: string
  log: Log
}

const intervalMs = 30_000

export const startBudgetNotices = (deps: BudgetNoticeDeps): BackgroundTask =>
  startBackgroundTask({
    round: () =>
      runSteps(
        { 'record budget notices': () => recordNotices(deps), 'mail budget notices': () => mailNotices(deps) },
        deps.log,
      ),
    intervalMs,
    failureMessage: 'budget notices failed',
    log: deps.log,
  })

export async function recordNotices({ notices, budgets, ceilings, mailer, ...deps }: BudgetNoticeDeps): Promise<void> {
  const recipientsOf = async (scope: SpendScope) => (mailer ? listRecipients(deps, scope) : [])
  const recorded = await notices.recordReached(await budgets.readCeilings(ceilings), recipientsOf)
  if (recorded > 0) deps.log.warn({ notices: recorded }, 'a share of a budget of this month is used')
}

export async function mailNotices({ notices, projects, mailer, publicUrl, log }: BudgetNoticeDeps): Promise<void> {
  if (!mailer) return
  for (const notice of await notices.takeDueEmails()) {
    try {
      await mailer.send({ to: notice.email, ...(await composeEmail(notice, projects, publicUrl)) })
      await notices.confirmSent(notice)
    } catch (error) {
      log.warn({ error: String(error) }, 'budget notice not sent; it is sent again later')
    }
  }
}

/** Operators, or the owners of the project who have joined it. */
async function listRecipients(
  { people, members }: Pick<BudgetNoticeDeps, 'people' | 'members'>,
  scope: SpendScope,
): Promise<string[]> {
  if (scope === 'instance') return (await people.listOperators()).map(({ email }) => email)
  return members.listOwnerEmails(scope)
}

async function composeEmail(
  { scope, percent, unit, used, max }: NoticeEmail,
  projects: ProjectStore,
  publicUrl: string,
): Promise<{ subject: string; text: string }> {
  const isInstance = scope === 'instance'
  const name = isInstance ? 'this Colophon instance' : withoutLinks((await projects.get(scope)).name)
  const format = (amount: number) =>
    unit === 'usd' ? `$${amount.toFixed(2)}` : `${Math.round(amount).toLocaleString('en')} tokens`
  const consequence =
    percent === 100
      ? 'Jobs stop with the error budget_exhausted until the budget is raised or the next month begins.'
      : 'When the budget is used up, jobs stop with the error budget_exhausted.'
  const whatToDo = isInstance
    ? 'An operator can raise the COLOPHON_INSTANCE_BUDGET settings.'
    : 'An owner can raise the budget up to the limit of the instance, and an operator can raise that limit.'
  return {
    subject: `${percent}% of the model budget of ${shortenForSubject(name)} is used`,
    text: [
      `${isInstance ? 'This Colophon instance' : `The project ${name}`} has used ${format(used)} of ${format(max)} for model calls this month (UTC).`,
      `${consequence} ${whatToDo}`,
      'See what was spent on which model and day:',
      isInstance ? `${publicUrl}/spend` : `${publicUrl}/projects/${scope}/spend`,
    ].join('\n\n'),
  }
}
