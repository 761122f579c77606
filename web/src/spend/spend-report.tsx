import type { ProjectSpend } from '@colophon/sdk'
import { BarChart } from '@mantine/charts'
import '@mantine/charts/styles.css'
import { NativeSelect, Paper, Progress, SimpleGrid, Skeleton, Stack, Table, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { formatNumber, formatTokens, formatUsd, toProgressBarPercent } from '../settings/format-amounts.ts'
import { EmptyState } from '../shown/empty-state.tsx'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { PageHeader } from '../shown/page-header.tsx'
import { formatMonth, listDays, listMonths } from './months.ts'

const shownMonths = 12
const chartHeightPx = 220

/** The spend of a project or of the instance in a month. `children`: further tables. */
export function SpendReport({
  lead,
  query: { data, error },
  month,
  onMonthChange,
  children,
}: {
  lead: ReactNode
  query: { data: ProjectSpend | undefined; error: unknown }
  month: string | undefined
  onMonthChange: (month: string) => void
  children?: ReactNode
}) {
  const months = listMonths(new Date(), shownMonths)
  return (
    <>
      <PageHeader title="Spend" lead={lead}>
        <NativeSelect
          aria-label="Month (UTC)"
          value={month ?? months[0]}
          onChange={(event) => onMonthChange(event.currentTarget.value)}
          data={months.map((value) => ({ value, label: formatMonth(value) }))}
        />
      </PageHeader>
      <Stack gap="lg">
        {data === undefined && !error && <Skeleton height={320} role="status" aria-label="Loading" />}
        {data === undefined && <ErrorAlert error={error} title="The spend could not be loaded" />}
        {data && <Totals spend={data} />}
        {data && data.total.calls === 0 && (
          <EmptyState title={`No model calls in ${formatMonth(data.month)}`}>
            Jobs call a model as soon as a runner works on them.
          </EmptyState>
        )}
        {data && data.total.calls > 0 && (
          <>
            <SpendByDay spend={data} />
            {children}
            <AmountsTable
              title="Models"
              rows={data.models.map(({ model, ...amounts }) => ({ key: model, name: model, ...amounts }))}
            />
          </>
        )}
      </Stack>
    </>
  )
}

function Totals({ spend: { total, forecast, limits } }: { spend: ProjectSpend }) {
  const { maxUsdPerMonth, maxTokensPerMonth } = limits
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }}>
      <Figure
        label="Spent"
        value={formatUsd(total.costUsd)}
        used={total.costUsd}
        max={maxUsdPerMonth}
        note={maxUsdPerMonth === null ? 'No limit' : `of ${formatUsd(maxUsdPerMonth)}`}
      />
      <Figure
        label="Tokens"
        value={formatTokens(total.tokens)}
        used={total.tokens}
        max={maxTokensPerMonth}
        note={maxTokensPerMonth === null ? 'No limit' : `of ${formatTokens(maxTokensPerMonth)}`}
      />
      {forecast && (
        <Figure
          label="Forecast for the month"
          value={formatUsd(forecast.costUsd)}
          used={forecast.costUsd}
          max={maxUsdPerMonth}
          note={`and ${formatTokens(forecast.tokens)}, at the rate of the last 7 days`}
        />
      )}
    </SimpleGrid>
  )
}

function Figure({
  label,
  value,
  used,
  max,
  note,
}: {
  label: string
  value: string
  used: number
  max: number | null
  note: string
}) {
  const percent = max === null ? 0 : toProgressBarPercent(used, max)
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fz={26} lh={1.3} ff="heading" className="numbers">
        {value}
      </Text>
      <Text size="sm" c="dimmed" mb="xs">
        {note}
      </Text>
      {max !== null && (
        <Progress
          value={percent}
          color={percent >= 100 ? 'red' : percent >= 80 ? 'yellow' : 'teal'}
          aria-label={`${label}, share of the budget`}
          size="sm"
        />
      )}
    </Paper>
  )
}

/** Days in US dollars, or in tokens if no price is known. */
function SpendByDay({ spend: { days, month, total } }: { spend: ProjectSpend }) {
  const isPriced = total.costUsd > 0
  const amountByDay = new Map(days.map(({ day, costUsd, tokens }) => [day, isPriced ? costUsd : tokens]))
  const format = isPriced ? formatUsd : formatTokens
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="spend-by-day">
      <Title order={2} size="h4" mb="sm" id="spend-by-day">
        By day (UTC)
      </Title>
      <div role="img" aria-label={`${isPriced ? 'Cost' : 'Tokens'} by day in ${formatMonth(month)}`}>
        <BarChart
          h={chartHeightPx}
          data={listDays(month).map((day) => ({
            day: String(Number(day.slice(8))),
            amount: amountByDay.get(day) ?? 0,
          }))}
          dataKey="day"
          series={[{ name: 'amount', label: isPriced ? 'Cost' : 'Tokens', color: 'var(--chart-ai)' }]}
          gridAxis="x"
          tickLine="none"
          strokeDasharray="2 4"
          valueFormatter={format}
          barProps={{ isAnimationActive: false }}
          yAxisProps={{
            tickFormatter: isPriced ? (amount: number) => `$${formatCompact(amount)}` : formatCompact,
            width: 44,
          }}
          xAxisProps={{ minTickGap: 12 }}
        />
      </div>
    </Paper>
  )
}

const compactFormat = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const formatCompact = (amount: number) => compactFormat.format(amount)

interface AmountsRow {
  key: string
  name: string
  calls: number
  tokens: number
  costUsd: number
  unpricedTokens: number
}

export function AmountsTable({ title, rows }: { title: string; rows: readonly AmountsRow[] }) {
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="sm">
        {title}
      </Title>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th ta="right" visibleFrom="sm">
              Calls
            </Table.Th>
            <Table.Th ta="right">Tokens</Table.Th>
            <Table.Th ta="right">Cost</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ key, name, calls, tokens, costUsd, unpricedTokens }) => (
            <Table.Tr key={key}>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{name}</Table.Td>
              <Table.Td ta="right" className="numbers" visibleFrom="sm">
                {formatNumber(calls)}
              </Table.Td>
              <Table.Td ta="right" className="numbers">
                {formatCompact(tokens)}
              </Table.Td>
              <Table.Td ta="right" className="numbers">
                {formatCost(costUsd, unpricedTokens, tokens)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  )
}

function formatCost(costUsd: number, unpricedTokens: number, tokens: number): string {
  if (unpricedTokens === 0) return formatUsd(costUsd)
  return unpricedTokens >= tokens ? 'unknown price' : `${formatUsd(costUsd)} and unknown prices`
}
