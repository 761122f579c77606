import type { ProjectSettings } from '@colophon/sdk'
import { Button, Group, NumberInput, Progress, SimpleGrid, Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Failure } from '../shown/failure.tsx'
import { shareOf, tokensInWords, usdInWords, wholeNumber } from './amounts.ts'
import { SettingsCard } from './settings-card.tsx'
import { useChangeSettings } from './use-change-settings.ts'

export function BudgetCard({
  projectId,
  settings: { budget, instanceBudget, usageThisMonth },
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
  const save = useChangeSettings(projectId, 'The caps hold from the next call on.')
  const wanted = {
    maxTokensPerJob: numberOrNull(typed.maxTokensPerJob),
    maxTokensPerMonth: numberOrNull(typed.maxTokensPerMonth),
    maxUsdPerMonth: numberOrNull(typed.maxUsdPerMonth),
  }
  const isChanged = JSON.stringify(wanted) !== JSON.stringify(budget)
  const input = (name: keyof typeof budget, most: number) => ({
    value: typed[name],
    onChange: (value: number | string) => setTyped((before) => ({ ...before, [name]: value })),
    placeholder: instanceBudget[name] === null ? 'No limit' : wholeNumber(instanceBudget[name]),
    thousandSeparator: ',',
    allowNegative: false,
    max: most,
    readOnly: !canChange,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate({ budget: wanted })
  }
  return (
    <SettingsCard
      title="Caps"
      lead="A call that would go past one is not made: its job stops there and says so. An empty field is as the installation has it."
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Used
          label="Tokens this month"
          used={usageThisMonth.tokens}
          most={budget.maxTokensPerMonth ?? instanceBudget.maxTokensPerMonth}
          inWords={tokensInWords}
        />
        <Used
          label="Spent this month"
          used={usageThisMonth.costUsd}
          most={budget.maxUsdPerMonth ?? instanceBudget.maxUsdPerMonth}
          inWords={usdInWords}
        />
      </SimpleGrid>
      <form onSubmit={submit}>
        <Stack gap="md">
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            <NumberInput label="Tokens a job" allowDecimal={false} {...input('maxTokensPerJob', 1e12)} />
            <NumberInput label="Tokens a month" allowDecimal={false} {...input('maxTokensPerMonth', 1e12)} />
            <NumberInput label="US dollars a month" decimalScale={2} {...input('maxUsdPerMonth', 1e9)} />
          </SimpleGrid>
          <Failure error={save.error} />
          {canChange && (
            <Group>
              <Button type="submit" disabled={!isChanged} loading={save.isPending}>
                Save caps
              </Button>
            </Group>
          )}
        </Stack>
      </form>
    </SettingsCard>
  )
}

const numberOrNull = (typed: number | string): number | null => (typed === '' ? null : Number(typed))

function Used({
  label,
  used,
  most,
  inWords,
}: {
  label: string
  used: number
  most: number | null
  inWords: (amount: number) => string
}) {
  const share = most === null ? 0 : shareOf(used, most)
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="xs">
        <Text size="sm">{label}</Text>
        <Text size="sm" fw={600}>
          {inWords(used)}
          {most === null ? ', no limit' : ` of ${inWords(most)}`}
        </Text>
      </Group>
      <Progress
        value={share}
        color={share >= 90 ? 'red' : share >= 70 ? 'yellow' : 'teal'}
        aria-label={label}
        size="md"
      />
    </Stack>
  )
}
