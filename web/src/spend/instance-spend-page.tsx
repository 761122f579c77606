import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { instanceSpendQuery } from './queries.ts'
import { AmountsTable, SpendReport } from './spend-report.tsx'

/** For operators. The server rejects everyone else. */
export function InstanceSpendPage() {
  const [month, setMonth] = useState<string>()
  const query = useQuery(instanceSpendQuery(month))
  return (
    <SpendReport
      lead="What all projects of this instance used for model calls. The budgets of the instance are settings of its operator."
      query={query}
      month={month}
      onMonthChange={setMonth}
    >
      {query.data && (
        <AmountsTable
          title="Projects"
          rows={query.data.projects.map(({ projectId, name, ...amounts }) => ({ key: projectId, name, ...amounts }))}
        />
      )}
    </SpendReport>
  )
}
