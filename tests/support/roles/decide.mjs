// Decides calls by a role's policy, as IAM does: a line of JSON for each question, and one for its answer.
import { createInterface } from 'node:readline'

import { runSimulation } from '@cloud-copilot/iam-simulate'

const ACCOUNT = '000000000000'

for await (const line of createInterface({ input: process.stdin })) {
  const { policy, action, resource } = JSON.parse(line)
  const decided = await runSimulation(
    {
      identityPolicies: [{ name: 'role', policy }],
      serviceControlPolicies: [],
      resourceControlPolicies: [],
      permissionBoundaryPolicies: undefined,
      resourcePolicy: undefined,
      request: {
        principal: `arn:aws:iam::${ACCOUNT}:role/caller`,
        action,
        resource: { resource, accountId: ACCOUNT },
        contextVariables: {},
      },
    },
    {},
  )
  const { overallResult, resultType, errors } = decided
  process.stdout.write(JSON.stringify(errors ? { errors } : { allowed: overallResult === 'Allowed', resultType }) + '\n')
}
