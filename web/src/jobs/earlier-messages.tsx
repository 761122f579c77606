import { Button, Stack } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { earlierMessagesQuery } from './job-queries.ts'
import { Turn } from './turn.tsx'

interface EarlierMessagesProps {
  projectId: string
  jobId: string
  /** Number of the first message that the page shows already. */
  before: number
}

/** The messages of a long job that are not on the newest page, loaded on request. */
export function EarlierMessages({ projectId, jobId, before }: EarlierMessagesProps) {
  const [isOpen, setIsOpen] = useState(false)
  const query = useInfiniteQuery({ ...earlierMessagesQuery(projectId, jobId, before), enabled: isOpen })
  const messages = [...(query.data?.pages ?? [])].reverse().flatMap((page) => page.messages)
  const showMore = () => {
    if (isOpen) void query.fetchNextPage()
    else setIsOpen(true)
  }
  return (
    <Stack gap="xl">
      {(!isOpen || query.isLoading || query.hasNextPage) && (
        <Button variant="default" loading={query.isFetching} onClick={showMore}>
          Show earlier messages
        </Button>
      )}
      {query.error && <ErrorAlert error={query.error} title="Earlier messages could not be loaded" />}
      {messages.map((message) => (
        <Turn key={message.number} projectId={projectId} jobId={jobId} message={message} live={undefined} showsError />
      ))}
    </Stack>
  )
}
