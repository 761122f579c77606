import { Group, Select, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { outcomeLabels } from './job-labels.ts'
import type { JobFilters } from './job-queries.ts'

const statuses = [
  { value: 'active', label: 'Active' },
  { value: 'completed', label: 'Completed' },
  { value: 'failed', label: 'Failed or cancelled' },
  { value: 'archived', label: 'Archived' },
]
const outcomes = Object.entries(outcomeLabels).map(([value, label]) => ({ value, label }))
/** Long enough to finish typing a word, short enough not to be noticed. */
const searchDelayMs = 300

export function JobFilterBar({ filters, onChange }: { filters: JobFilters; onChange: (filters: JobFilters) => void }) {
  return (
    <Group gap="sm" mb="md" align="flex-end" role="search">
      <SearchInput text={filters.q ?? ''} onSearch={(q) => onChange(withFilter(filters, 'q', q || null))} />
      <Select
        aria-label="Status"
        placeholder="Any status"
        data={statuses}
        value={filters.status ?? null}
        onChange={(status) => onChange(withFilter(filters, 'status', status))}
        clearable
        clearButtonProps={{ 'aria-label': 'Any status' }}
        w={{ base: 'calc(50% - 6px)', xs: 180 }}
      />
      <Select
        aria-label="Outcome"
        placeholder="Any outcome"
        data={outcomes}
        value={filters.outcome ?? null}
        onChange={(outcome) => onChange(withFilter(filters, 'outcome', outcome))}
        clearable
        clearButtonProps={{ 'aria-label': 'Any outcome' }}
        w={{ base: 'calc(50% - 6px)', xs: 160 }}
      />
    </Group>
  )
}

function withFilter(filters: JobFilters, name: keyof JobFilters, value: string | null): JobFilters {
  const { [name]: _previous, ...others } = filters
  return value === null ? others : { ...others, [name]: value }
}

function SearchInput({ text, onSearch }: { text: string; onSearch: (text: string) => void }) {
  const [typed, setTyped] = useState(text)
  const searched = useRef(text)
  const search = useDebouncedCallback((query: string) => {
    searched.current = query
    onSearch(query)
  }, searchDelayMs)
  // The URL changed without typing: by back and forward, or by clearing the filters.
  useEffect(() => {
    if (text === searched.current) return
    searched.current = text
    setTyped(text)
  }, [text])
  return (
    <TextInput
      aria-label="Search jobs"
      placeholder="Search by title, prompt or ID"
      type="search"
      leftSection={<IconSearch size={16} aria-hidden />}
      value={typed}
      maxLength={200}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value)
        search(value.trim())
      }}
      flex={{ base: '1 1 100%', xs: '1 1 12rem' }}
    />
  )
}
