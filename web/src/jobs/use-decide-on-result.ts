import { ColophonError } from '@colophon/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { notifySaved } from '../settings/notify-saved.ts'
import { jobQuery } from './job-queries.ts'

export type Decision = 'approve' | 'reject'

const messages: Readonly<Record<Decision, string>> = {
  approve: 'Approved. The result is being published.',
  reject: 'Rejected. Nothing was pushed.',
}

/** Approves or rejects the result whose diff has this digest. If another result is held by now, it is loaded. */
export function useDecideOnResult(projectId: string, jobId: string, onDecided: () => void) {
  const queryClient = useQueryClient()
  const { queryKey } = jobQuery(projectId, jobId)
  return useMutation({
    mutationFn: ({ decision, diffSha256 }: { decision: Decision; diffSha256: string }) =>
      client.jobs[decision](projectId, jobId, { diffSha256 }),
    onSuccess: (job, { decision }) => {
      queryClient.setQueryData(queryKey, job)
      void queryClient.invalidateQueries({ queryKey })
      void queryClient.invalidateQueries({ queryKey: ['jobs', projectId] })
      notifySaved(messages[decision])
      onDecided()
    },
    onError: (error) => {
      if (error instanceof ColophonError && error.code === 'not_awaiting_approval')
        void queryClient.invalidateQueries({ queryKey })
    },
  })
}
