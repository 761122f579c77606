import type { ProjectSpend } from '@colophon/sdk'
import { Alert } from '@mantine/core'
import { IconCoin } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { formatTokens, formatUsd } from '../settings/format-amounts.ts'
import { AnchorLink } from '../shown/links.tsx'
import { instanceSpendQuery, projectSpendQuery } from './queries.ts'

/** Shown on all pages of a project when half of its budget of the month is used, or more. */
export function ProjectSpendAlert({ projectId }: { projectId: string }) {
  const { data } = useQuery(projectSpendQuery(projectId))
  if (!data || data.alert === null) return null
  return (
    <SpendAlert spend={data} subject="the budget of this project">
      <AnchorLink to="/projects/$projectId/spend" params={{ projectId }} inherit>
        See what was spent
      </AnchorLink>
    </SpendAlert>
  )
}

/** For operators. */
export function InstanceSpendAlert() {
  const { data } = useQuery(instanceSpendQuery())
  if (!data || data.alert === null) return null
  return (
    <SpendAlert spend={data} subject="the budget of this instance">
      <AnchorLink to="/spend" inherit>
        See what was spent
      </AnchorLink>
    </SpendAlert>
  )
}

function SpendAlert({
  spend: { alert, total, limits },
  subject,
  children,
}: {
  spend: ProjectSpend
  subject: string
  children: React.ReactNode
}) {
  const isUsedUp = alert === 100
  const amounts = [
    limits.maxUsdPerMonth === null ? undefined : `${formatUsd(total.costUsd)} of ${formatUsd(limits.maxUsdPerMonth)}`,
    limits.maxTokensPerMonth === null
      ? undefined
      : `${formatTokens(total.tokens)} of ${formatTokens(limits.maxTokensPerMonth)}`,
  ].filter((amount) => amount !== undefined)
  return (
    <Alert
      color={isUsedUp ? 'red' : alert === 80 ? 'yellow' : 'blue'}
      icon={<IconCoin />}
      title={isUsedUp ? `This month, ${subject} is used up` : `This month, ${alert}% of ${subject} is used`}
      mb="lg"
    >
      Used so far: {amounts.join(', ')}.{' '}
      {isUsedUp
        ? 'Jobs stop with an error until the budget is raised or the next month begins.'
        : 'When it is used up, jobs stop with an error.'}{' '}
      {children}.
    </Alert>
  )
}
