import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { client } from '../app/client.ts'
import { SendOnce } from '../app/send-once.ts'

/** Goes on with a job: at once when it has ended, after what is under way when it has not. */
export function useSendMessage(projectId: string, jobId: string, onSent?: () => void) {
  const queryClient = useQueryClient()
  const once = useRef(new SendOnce())
  return useMutation({
    mutationFn: (body: { prompt: string; failedCheck?: string }) =>
      client.jobs.message(projectId, jobId, body, { idempotencyKey: once.current.keyFor(body) }),
    onSuccess: async () => {
      once.current.sent()
      onSent?.()
      await queryClient.invalidateQueries({ queryKey: ['job', projectId, jobId] })
    },
  })
}
