import type { ProjectSettings } from '@colophon/sdk'
import { Button, Group, NumberInput, Progress, SimpleGrid, Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { formatNumber, formatTokens, formatUsd, toProgressBarPercent } from './format-amounts.ts'
import { SettingsCard } from './settings-card.tsx'
import { useChangeProjectSettings } from './use-change-project-settings.ts'

export function BudgetCard({
  projectId,
  settings: { budget, instanceBudget, effectiveBudget, usageThisMonth },
  canChange,
}: {
  projectId: string
  settings: ProjectSettings
  canChange: boolean
}) {
  const [typed, setTyped] = useState<Record<keyof typeof budget, number | string>>({
    maxTokensPerJob: budget.maxTokensPerJob ?? '',
    maxTokensPerMonth: budget.maxTokensPerMonth ?? '',
    maxUsdPerMonth: budget.maxUsdPerMonth ?? '',
  })
  const save = useChangeProjectSettings(projectId, 'Budget saved. It applies from the next model call.')
  const newBudget = {
    maxTokensPerJob: numberOrNull(typed.maxTokensPerJob),
    maxTokensPerMonth: numberOrNull(typed.maxTokensPerMonth),
    maxUsdPerMonth: numberOrNull(typed.maxUsdPerMonth),
  }
  const isChanged = JSON.stringify(newBudget) !== JSON.stringify(budget)
  const input = (name: keyof typeof budget, max: number) => ({
    value: typed[name],
    onChange: (value: number | string) => setTyped((previous) => ({ ...previous, [name]: value })),
    placeholder: instanceBudget[name] === null ? 'No limit' : formatNumber(instanceBudget[name]),
    description:
      instanceBudget[name] === null ? 'No limit of the instance' : `At most ${formatNumber(instanceBudget[name])}`,
    error: isAbove(newBudget[name], instanceBudget[name]) && 'Above the limit of the instance',
    thousandSeparator: ',',
    allowNegative: false,
    max,
    readOnly: !canChange,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate({ budget: newBudget })
  }
  return (
    <SettingsCard
      title="Budget"
      lead={`Limits what the agent can spend on model calls. A job that reaches a limit stops with an error. Leave a field empty to use the limit of the instance, which only its operator can raise.${describeHourlyLimits(instanceBudget)}`}
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Usage
          label="Tokens this month"
          used={usageThisMonth.tokens}
          limit={effectiveBudget.maxTokensPerMonth}
          format={formatTokens}
        />
        <Usage
          label="Spent this month"
          used={usageThisMonth.costUsd}
          limit={effectiveBudget.maxUsdPerMonth}
          format={formatUsd}
        />
      </SimpleGrid>
      <form onSubmit={submit}>
        <Stack gap="md">
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            <NumberInput label="Tokens per job" allowDecimal={false} {...input('maxTokensPerJob', 1e12)} />
            <NumberInput label="Tokens per month" allowDecimal={false} {...input('maxTokensPerMonth', 1e12)} />
            <NumberInput label="US dollars per month" decimalScale={2} {...input('maxUsdPerMonth', 1e9)} />
          </SimpleGrid>
          <ErrorAlert error={save.error} />
          {canChange && (
            <Group>
              <Button type="submit" disabled={!isChanged} loading={save.isPending}>
                Save budget
              </Button>
            </Group>
          )}
        </Stack>
      </form>
    </SettingsCard>
  )
}

const isAbove = (typed: number | null, ceiling: number | null) => typed !== null && ceiling !== null && typed > ceiling

function describeHourlyLimits({ maxTokensPerHour, maxUsdPerHour }: ProjectSettings['instanceBudget']): string {
  const limits = [
    maxUsdPerHour === null ? undefined : formatUsd(maxUsdPerHour),
    maxTokensPerHour === null ? undefined : formatTokens(maxTokensPerHour),
  ].filter((limit) => limit !== undefined)
  return limits.length > 0 ? ` In one hour, the project can use at most ${limits.join(' and ')}.` : ''
}

const numberOrNull = (typed: number | string): number | null => (typed === '' ? null : Number(typed))

function Usage({
  label,
  used,
  limit,
  format,
}: {
  label: string
  used: number
  limit: number | null
  format: (amount: number) => string
}) {
  const usedPercent = limit === null ? 0 : toProgressBarPercent(used, limit)
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="xs">
        <Text size="sm">{label}</Text>
        <Text size="sm" fw={600}>
          {format(used)}
          {limit === null ? ', no limit' : ` of ${format(limit)}`}
        </Text>
      </Group>
      <Progress
        value={usedPercent}
        color={usedPercent >= 90 ? 'red' : usedPercent >= 70 ? 'yellow' : 'teal'}
        aria-label={label}
        size="md"
      />
    </Stack>
  )
}
