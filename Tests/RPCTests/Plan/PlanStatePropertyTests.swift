import AccountModel
import Testing

@testable import PlanPlugin
@testable import RPCShell

/// What holds for the state of every plan, in every locale and zone, at any time.
struct PlanStatePropertyTests {
  private static let plansPerSeed = 100

  @Test(arguments: UInt64(1)...20)
  func `every plan is shown in whole and honest texts`(seed: UInt64) throws {
    var plans = RandomPlans(seed: seed)
    for index in 1...Self.plansPerSeed {
      let text = plans.plan()
      let (environment, now) = (plans.environment(), plans.now())
      let plan = try PlanUsage.read(text)
      let state = plans.state(of: plan)
      let review = StateReview(state.snapshot(now: now, environment), of: plan, state, environment, now: now)
      guard review.complaints.isEmpty else {
        Issue.record("plan \(index) in \(environment) at \(now): \(review.complaints)\n\(text)\n\(review.text)")
        return
      }
    }
  }

  @Test(arguments: UInt64(101)...106)
  func `what was kept from another plan, place or time is never shown`(seed: UInt64) throws {
    var plans = RandomPlans(seed: seed)
    var cache = PlanTextCache()
    var (environment, now) = (plans.environment(), plans.now())
    var plan = try PlanUsage.read(plans.plan())
    for index in 1...Self.plansPerSeed {
      switch index % 4 {
      case 0: environment = plans.environment()
      case 1: now = plans.now()
      case 2: plan = try PlanUsage.read(plans.plan())
      default: break
      }
      let state = plans.state(of: plan)
      let kept = state.snapshot(now: now, environment, cache: &cache)
      let isOutdated = cache.isOutdated(now: now, environment)
      guard !isOutdated, kept == state.snapshot(now: now, environment),
        kept == state.snapshot(now: now, environment, cache: &cache)
      else {
        Issue.record("plan \(index) in \(environment) at \(now): \(kept.text)")
        return
      }
    }
  }

  @Test(arguments: UInt64(201)...203)
  func `bars move between 0 and 1, and only where they change`(seed: UInt64) throws {
    var plans = RandomPlans(seed: seed)
    var feed = StateFeed(plugin: "plan", initial: PlanState().snapshot())
    for index in 1...Self.plansPerSeed {
      let plan = index % 10 == 0 ? nil : try PlanUsage.read(plans.plan())
      let (state, reduceMotion) = (plans.state(of: plan), plans.environment().reduceMotion)
      let event = feed.move(to: state.snapshot(), .init(cause: "set"), reduceMotion: reduceMotion)
      for step in event?.motion ?? [] {
        let ends = [step.from, step.to].compactMap(\.self).map { ExactDecimal($0.description) ?? ExactDecimal(-1) }
        let isInRange = ends.allSatisfy { $0 >= .zero && $0 <= ExactDecimal(1) }
        #expect(isInRange && (ends.isEmpty || (ends[0] == ends[1]) == reduceMotion), "plan \(index): \(step)")
        #expect((step.curve == .fade) == reduceMotion, "plan \(index): \(step)")
      }
    }
  }
}
