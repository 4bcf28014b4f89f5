import type { HostView, ServiceView } from '@fractus/scheduling';

/** What of a host stays the same until it reports, or its aggregates change. */
export type BaseView = Omit<HostView, 'service' | 'free'>;

/**
 * A host at this moment. Each request makes one of each host that Placement offers: fields set one by one cost a tenth
 * of a copy by spreading.
 */
export class CurrentHost implements HostView {
  readonly host: HostView['host'];
  readonly node: HostView['node'];
  readonly nodeId: HostView['nodeId'];
  readonly availabilityZone: HostView['availabilityZone'];
  readonly aggregates: HostView['aggregates'];
  readonly hypervisorType: HostView['hypervisorType'];
  readonly hypervisorVersion: HostView['hypervisorVersion'];
  readonly hostIp: HostView['hostIp'];
  readonly vcpus: HostView['vcpus'];
  readonly vcpusUsed: HostView['vcpusUsed'];
  readonly memoryMb: HostView['memoryMb'];
  readonly memoryMbUsed: HostView['memoryMbUsed'];
  readonly diskGb: HostView['diskGb'];
  readonly diskGbUsed: HostView['diskGbUsed'];
  readonly runningGuests: HostView['runningGuests'];
  readonly ioOps: HostView['ioOps'];
  readonly failedBuilds: HostView['failedBuilds'];
  readonly freePciDevices: HostView['freePciDevices'];
  readonly cpuInfo: HostView['cpuInfo'];
  readonly supportedInstances: HostView['supportedInstances'];
  readonly capabilities: HostView['capabilities'];

  /** `claimed`: servers on their way there that the host has not reported yet. */
  constructor(
    base: BaseView,
    readonly service: ServiceView,
    readonly free: HostView['free'],
    claimed: number,
  ) {
    this.host = base.host;
    this.node = base.node;
    this.nodeId = base.nodeId;
    this.availabilityZone = base.availabilityZone;
    this.aggregates = base.aggregates;
    this.hypervisorType = base.hypervisorType;
    this.hypervisorVersion = base.hypervisorVersion;
    this.hostIp = base.hostIp;
    this.vcpus = base.vcpus;
    this.vcpusUsed = base.vcpusUsed;
    this.memoryMb = base.memoryMb;
    this.memoryMbUsed = base.memoryMbUsed;
    this.diskGb = base.diskGb;
    this.diskGbUsed = base.diskGbUsed;
    this.runningGuests = base.runningGuests + claimed;
    this.ioOps = base.ioOps + claimed;
    this.failedBuilds = base.failedBuilds;
    this.freePciDevices = base.freePciDevices;
    this.cpuInfo = base.cpuInfo;
    this.supportedInstances = base.supportedInstances;
    this.capabilities = base.capabilities;
  }
}
