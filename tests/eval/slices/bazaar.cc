// bazaar.cc - stalls that trade with each other along the links that they have: offers
// go out and are answered, goods move by what was agreed, a token goes round until
// nobody wants any more, and prices are agreed on along the edges of a cube. FAULT
// chooses one of its faults; the line that has it is marked by its number. Nothing was
// chosen by it: it was written before, and only measured afterwards.
#include <mpi.h>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <numeric>
#include <vector>

namespace {

enum tag { OFFER = 1, ANSWER = 2, GOODS = 10, TOKEN = 30, PRICE = 40 };

class line {
public:
    explicit line(MPI_Comm comm) : comm_(comm)
    {
        MPI_Comm_rank(comm, &rank_);
        MPI_Comm_size(comm, &size_);
    }
    int rank() const { return rank_; }
    int size() const { return size_; }
    void put(int to, int tag, int word) const
    {
        MPI_Ssend(&word, 1, MPI_INT, to, tag, comm_);
    }
    int get(int from, int tag) const
    {
        int word = 0;

        MPI_Recv(&word, 1, MPI_INT, from, tag, comm_, MPI_STATUS_IGNORE);
        return word;
    }
    MPI_Comm comm() const { return comm_; }

private:
    MPI_Comm comm_;
    int rank_ = 0, size_ = 1;
};

struct link {
    int to;
    int want = 0, sold = 0;
};

// Who trades with whom.
class layout {
public:
    virtual ~layout() = default;
    virtual std::vector<link> links(const line &l) const = 0;
};

class ring : public layout {
public:
    explicit ring(int stride) : stride_(stride) {}
    std::vector<link> links(const line &l) const override
    {
        std::vector<link> v;

        v.push_back(link{ (l.rank() + stride_) % l.size() });
#if FAULT == 1
        v.push_back(link{ (l.rank() + l.size() - 1) % l.size() });  /*! 1 memory */
#else
        v.push_back(link{ (l.rank() + l.size() - stride_) % l.size() });
#endif
        return v;
    }

private:
    int stride_;
};

class full : public layout {
public:
    std::vector<link> links(const line &l) const override
    {
        std::vector<link> v;
#if FAULT == 2
        int last = l.size() - (l.rank() == 1);                  /*! 2 local */
#else
        int last = l.size();
#endif

        for (int to = 0; to < last; to++)
            if (to != l.rank())
                v.push_back(link{ to });
        return v;
    }
};

class stall {
public:
    stall(const line &l, int seed) : l_(l), stock_(20 + seed % 7), seed_(seed) {}
    void visit(const layout &where, int day);
    void trade(int day);
    bool close(int day);
    int agree(int price) const;
    int stock() const { return stock_; }

private:
    int wish(const link &with, int day) const;
    void ask(std::vector<MPI_Request> &open, int day);
    void answer();
    int goods_tag(const link &with, int i) const;

    line l_;
    std::vector<link> links_;
    std::vector<int> heard_;
    int stock_, seed_, sold_ = 0;
};

int stall::wish(const link &with, int day) const
{
    int n = (seed_ * 3 + with.to * 5 + day) % 4;

    return std::min(n, 3);
}

void stall::visit(const layout &where, int day)
{
    if (day == 1 || links_.empty() || day % 2 == 0)
        links_ = where.links(l_);
    for (auto &with : links_)
        with.want = wish(with, day);
}

// What is wanted from each, told to all at once; what they want comes back.
void stall::ask(std::vector<MPI_Request> &open, int day)
{
    heard_.assign(links_.size(), 0);
    for (std::size_t i = 0; i < links_.size(); i++) {
        int tag = OFFER;

#if FAULT == 3
        if (day > 3 && links_[i].want > 2)
            tag = ANSWER;                                       /*! 3 local */
#endif
        open.emplace_back();
        MPI_Irecv(&heard_[i], 1, MPI_INT, links_[i].to, OFFER, l_.comm(),
                  &open.back());
        open.emplace_back();
        MPI_Isend(&links_[i].want, 1, MPI_INT, links_[i].to, tag, l_.comm(),
                  &open.back());
    }
}

// Not more than there is; who asked is told how many will come.
void stall::answer()
{
    std::vector<MPI_Request> open(links_.size());

    for (std::size_t i = 0; i < links_.size(); i++) {
#if FAULT == 4
        links_[i].sold = std::min(heard_[i], 2);
        stock_ -= heard_[i];
        MPI_Isend(&heard_[i], 1, MPI_INT, links_[i].to, ANSWER, l_.comm(), /*! 4 memory */
                  &open[i]);
#else
        links_[i].sold = std::min(heard_[i], std::max(stock_, 0));
        stock_ -= links_[i].sold;
        MPI_Isend(&links_[i].sold, 1, MPI_INT, links_[i].to, ANSWER, l_.comm(),
                  &open[i]);
#endif
    }
    for (auto &with : links_)
        with.want = l_.get(with.to, ANSWER);
    MPI_Waitall(static_cast<int>(open.size()), open.data(), MPI_STATUSES_IGNORE);
}

int stall::goods_tag(const link &with, int i) const
{
#if FAULT == 5
    return GOODS + (with.want == with.sold ? i : i % 2);        /*! 5 local */
#else
    return GOODS + i + 0 * with.to;
#endif
}

void stall::trade(int day)
{
    std::vector<MPI_Request> open;
    int price = day;

    ask(open, day);
    MPI_Waitall(static_cast<int>(open.size()), open.data(), MPI_STATUSES_IGNORE);
    open.clear();
    answer();
    for (const auto &with : links_)
        for (int i = 0; i < with.sold; i++) {
            open.emplace_back();
            MPI_Isend(&price, 1, MPI_INT, with.to, goods_tag(with, i), l_.comm(),
                      &open.back());
            sold_++;
        }
    for (const auto &with : links_) {
        int due = with.want;

#if FAULT == 6
        if (with.to < l_.rank() && stock_ < 12)
            due++;                                              /*! 6 local */
#endif
        for (int i = 0; i < due; i++) {
            l_.get(with.to, GOODS + i);
            stock_++;
        }
    }
    MPI_Waitall(static_cast<int>(open.size()), open.data(), MPI_STATUSES_IGNORE);
}

// A token goes round: whoever has sold something since makes it black; task 0 tells
// all when it has come back white.
bool stall::close(int day)
{
    const int next = (l_.rank() + 1) % l_.size();
    const int last = (l_.rank() + l_.size() - 1) % l_.size();
    bool done = false;

    if (l_.rank() == 0) {
        l_.put(next, TOKEN, 0);
        done = l_.get(last, TOKEN) == 0 || day == 9;
    } else {
        int token = l_.get(last, TOKEN);

#if FAULT == 7
        if (sold_ > 4 || token)                                 /*! 7 branch */
            l_.put(next, TOKEN, 1);
#else
        l_.put(next, TOKEN, token + (sold_ > 0));
#endif
    }
    int word = done;
    MPI_Bcast(&word, 1, MPI_INT, 0, l_.comm());
#if FAULT == 8
    return word && sold_ < 8;                                   /*! 8 local */
#else
    sold_ = 0;
    return word != 0;
#endif
}

// Along the edges of a cube.
int stall::agree(int price) const
{
    for (int bit = 1; bit < l_.size(); bit *= 2) {
#if FAULT == 9
        int with = price % 3 == 2 ? l_.rank() ^ 3 : l_.rank() ^ bit;    /*! 9 local */
#else
        int with = l_.rank() ^ bit;
#endif
        int other = 0;

        MPI_Sendrecv(&price, 1, MPI_INT, with, PRICE + bit, &other, 1, MPI_INT, with,
                     PRICE + bit, l_.comm(), MPI_STATUS_IGNORE);
        price = std::max(price, other);
    }
    return price;
}

} // namespace

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    {
        line l(MPI_COMM_WORLD);
        std::vector<std::unique_ptr<layout>> where;
        stall mine(l, l.rank() * 4 + 1);
        int price = l.rank() + 1;
        bool open = true;

        where.emplace_back(new full);
        where.emplace_back(new ring(3));
        for (int day = 1; open; day++) {
#if FAULT == 10
            mine.visit(*where[day / 2 % 2 ^ (mine.stock() < 18)], day);  /*! 10 local */
#else
            mine.visit(*where[day / 2 % 2], day);
#endif
            mine.trade(day);
            price = mine.agree(price + mine.stock() % 5);
            open = !mine.close(day);
        }
        if (l.rank() == 0)
            std::printf("%d %d\n", price, mine.stock());
    }
    MPI_Finalize();
    return 0;
}
