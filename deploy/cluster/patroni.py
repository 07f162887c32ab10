#!/usr/bin/python3
"""Starts Patroni. One before 3.0.3, as Debian 12 has it, gets the correction of 3.0.3.

A leader that was cut off from etcd wrote its key there without comparing it first when it came back, on a view of the cluster
from before. It took the lead from the node that had been elected meanwhile, and promoted itself to a second timeline of the
same number: commits that the other had confirmed were lost.
"""

import sys

from patroni.__main__ import main
from patroni.dcs import etcd3
from patroni.version import __version__


def update_leader(self):
    """Renews the lease. The key is written again only if it is still this node's, or there is none."""
    retry = self._retry.copy()

    def with_retry(*args, **kwargs):
        kwargs['retry'] = retry
        return retry(*args, **kwargs)

    self._run_and_handle_exceptions(self._do_refresh_lease, True, retry=with_retry)
    leader = self.cluster and self.cluster.leader
    if not self._lease or (isinstance(leader, etcd3.Leader) and leader.session == self._lease):
        return bool(self._lease)
    key, name = etcd3.base64_encode(self.leader_path), etcd3.base64_encode(self._name)
    put = {'request_put': {'key': key, 'value': name, 'lease': self._lease}}
    for condition in ({'target': 'VALUE', 'value': name}, {'target': 'CREATE', 'create_revision': '0'}):
        if self._run_and_handle_exceptions(self._client.txn, {'key': key, **condition}, put, retry=with_retry):
            return True
    return False


if tuple(int(part) for part in __version__.split('.')) < (3, 0, 3):
    etcd3.Etcd3._update_leader = etcd3.catch_return_false_exception(update_leader)

# Patroni starts PostgreSQL from a process of its own, which loads this file too.
if __name__ == '__main__':
    sys.exit(main())
